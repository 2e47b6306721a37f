// Dialogs with a form; what the controller refuses is said beside the field that it names.

import { ApiError } from './api.js';
import { el } from './dom.js';

let forms = 0;

/**
 * A dialog that asks for fields: each has `name`, `label`, `hint`, `value`, and `options` ([value, text] pairs) or
 * `type`, or `suggestions`. `onSubmit(values)` may throw an ApiError. Returns the dialog, open.
 */
export function openForm({ title, intro = null, fields, submit, onSubmit, danger = false }) {
  const prefix = `form${++forms}`;
  const opener = document.activeElement;
  const rows = fields.map((field) => new FieldRow(prefix, field));
  const general = el('p', { class: 'field-error', role: 'alert' });
  const send = el('button', { type: 'submit', class: danger ? 'danger' : 'primary', text: submit });
  const form = el('form', { novalidate: true },
    el('h2', { id: `${prefix}-title`, text: title }), intro ? el('p', { class: 'quiet', text: intro }) : null,
    rows.map((row) => row.node), general,
    el('div', { class: 'dialog-buttons' },
      el('button', { type: 'button', onclick: () => dialog.close(), text: 'Cancel' }), send));
  const dialog = el('dialog', { 'aria-labelledby': `${prefix}-title` }, form);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    rows.forEach((row) => row.clear());
    general.textContent = '';
    send.disabled = true;
    try {
      await onSubmit(Object.fromEntries(rows.map((row) => [row.name, row.value])));
      dialog.close();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      showError(error, rows, general);
    } finally {
      send.disabled = false;
    }
  });
  dialog.addEventListener('close', () => {
    dialog.remove();
    opener?.isConnected && opener.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  rows[0]?.focus();
  return dialog;
}

function showError(error, rows, general) {
  const row = rows.find((each) => each.name === error.field);
  if (row) {
    row.fail(error.message);
    row.focus();
  } else {
    general.textContent = error.message;
  }
}

/** One field with its label, hint and error. */
class FieldRow {
  #input;
  #error;

  constructor(prefix, { name, label, hint = '', value = '', options = null, type = 'text', suggestions = null, disabled = false, ...more }) {
    this.name = name;
    const id = `${prefix}-${name}`;
    const described = [hint ? `${id}-hint` : '', `${id}-error`].join(' ').trim();
    const common = { id, name, 'aria-describedby': described, disabled, autocomplete: 'off', spellcheck: 'false', ...more };
    this.#input = options
      ? el('select', common, options.map(([each, text]) => el('option', { value: each, text })))
      : el('input', { ...common, type, list: suggestions ? `${id}-list` : null });
    this.#input.value = value ?? '';
    this.#error = el('p', { class: 'field-error', id: `${id}-error` });
    this.node = el('div', { class: 'field' }, el('label', { for: id, text: label }), this.#input,
      suggestions ? el('datalist', { id: `${id}-list` }, suggestions.map((each) => el('option', { value: each }))) : null,
      hint ? el('p', { class: 'hint', id: `${id}-hint`, text: hint }) : null, this.#error);
  }

  get value() {
    return this.#input.value.trim();
  }

  focus() {
    this.#input.focus();
  }

  clear() {
    this.#error.textContent = '';
    this.#input.removeAttribute('aria-invalid');
  }

  fail(sentence) {
    this.#error.textContent = sentence;
    this.#input.setAttribute('aria-invalid', 'true');
  }
}
