// Where the parts of a network are drawn: distances in the drawing are those in the network, as far as can be.
// The method is stress minimisation by stochastic gradient descent (Zheng, Pawar, Goodman 2018). Pure; the same each time.

const ROUNDS = 40;
const LEAST_STEP = 0.05;
const APART = 0.5;
const APART_ROUNDS = 12;

/** Numbers that look random from 0 to 1, the same for each generator. */
function generator() {
  let state = 20210;
  return () => {
    state = (state * 1664525 + 1013904223) % 4294967296;
    return state / 4294967296;
  };
}

/** Fewest links from one node to all others; what cannot be reached is far away. */
function distancesFrom(start, neighbours) {
  const far = Math.sqrt(neighbours.length) + 2;
  const distances = new Array(neighbours.length).fill(far);
  distances[start] = 0;
  const queue = [start];
  for (let head = 0; head < queue.length; head++) {
    for (const next of neighbours[queue[head]]) {
      if (distances[next] === far && next !== start) {
        distances[next] = distances[queue[head]] + 1;
        queue.push(next);
      }
    }
  }
  return distances;
}

/**
 * Places nodes. `inner`: ids of switches; `edges`: pairs of such ids; `leaves`: [id, switch] of what is attached to one, at
 * `leafLength` of a link's length. Answers with a Map of {x, y} in links' lengths, turned so that it is wider than tall, or
 * for `tall` the other way.
 */
export function layout(inner, edges, leaves, leafLength, tall) {
  const index = new Map(inner.map((id, i) => [id, i]));
  const neighbours = inner.map(() => []);
  for (const [a, b] of edges) {
    neighbours[index.get(a)].push(index.get(b));
    neighbours[index.get(b)].push(index.get(a));
  }
  const between = inner.map((_, i) => distancesFrom(i, neighbours));
  const at = [...inner.map((_, i) => i), ...leaves.map(([, owner]) => index.get(owner))];
  const extra = [...inner.map(() => 0), ...leaves.map(() => leafLength)];
  const distance = (i, j) => between[at[i]][at[j]] + extra[i] + extra[j];
  const random = generator();
  const points = at.map((_, i) => ({ x: Math.cos(i * 2.4) * Math.sqrt(i + 1), y: Math.sin(i * 2.4) * Math.sqrt(i + 1) }));
  descend(points, distance, random);
  separate(points);
  turn(points, tall);
  return new Map([...inner, ...leaves.map(([id]) => id)].map((id, i) => [id, points[i]]));
}

/** Typed arrays, as there are as many pairs as the square of the nodes. */
function descend(points, distance, random) {
  const count = (points.length * (points.length - 1)) / 2;
  const [ones, others, wanted] = [new Int32Array(count), new Int32Array(count), new Float32Array(count)];
  let longest = 1;
  for (let i = 1, pair = 0; i < points.length; i++) {
    for (let j = 0; j < i; j++, pair++) {
      ones[pair] = i;
      others[pair] = j;
      wanted[pair] = distance(i, j);
      longest = Math.max(longest, wanted[pair]);
    }
  }
  const order = Int32Array.from({ length: count }, (_, pair) => pair);
  shuffle(order, random);
  const first = longest * longest;
  const decay = Math.log(first / LEAST_STEP) / (ROUNDS - 1);
  for (let round = 0; round < ROUNDS; round++) {
    const step = first * Math.exp(-decay * round);
    for (const pair of order) move(points[ones[pair]], points[others[pair]], wanted[pair], step);
  }
}

function move(one, other, wanted, step) {
  const dx = one.x - other.x || 1e-3;
  const dy = one.y - other.y || 1e-3;
  const length = Math.sqrt(dx * dx + dy * dy);
  const share = (Math.min(1, step / (wanted * wanted)) * (length - wanted)) / 2 / length;
  one.x -= share * dx;
  one.y -= share * dy;
  other.x += share * dx;
  other.y += share * dy;
}

/** Pushes apart what would lie on each other. */
function separate(points) {
  for (let round = 0; round < APART_ROUNDS; round++) {
    for (let i = 1; i < points.length; i++) {
      for (let j = 0; j < i; j++) {
        if (Math.hypot(points[i].x - points[j].x, points[i].y - points[j].y) < APART) move(points[i], points[j], APART, 1);
      }
    }
  }
}

function shuffle(items, random) {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    const kept = items[i];
    items[i] = items[j];
    items[j] = kept;
  }
}

/** The longest axis becomes the horizontal one, or the vertical one. */
function turn(points, tall) {
  const mean = (which) => points.reduce((sum, point) => sum + point[which], 0) / Math.max(1, points.length);
  const [mx, my] = [mean('x'), mean('y')];
  let [xx, xy, yy] = [0, 0, 0];
  for (const { x, y } of points) {
    xx += (x - mx) ** 2;
    xy += (x - mx) * (y - my);
    yy += (y - my) ** 2;
  }
  const angle = 0.5 * Math.atan2(2 * xy, xx - yy) + (tall ? Math.PI / 2 : 0);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  for (const point of points) {
    const [dx, dy] = [point.x - mx, point.y - my];
    point.x = cos * dx + sin * dy;
    point.y = cos * dy - sin * dx;
  }
}
