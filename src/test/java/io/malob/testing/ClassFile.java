package io.malob.testing;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A compiled class as the linker sees it: what it declares, and what it refers to. Names are binary
 * names with dots.
 *
 * @param superName the class it extends; empty for {@code Object}
 * @param refs the members of other types, and its own, that its code refers to
 * @param types the types that its code and its members' signatures name, without arrays
 */
public record ClassFile(
    String name,
    String superName,
    List<String> interfaces,
    int access,
    Set<Member> members,
    Set<Ref> refs,
    Set<String> types) {

  private static final Pattern TYPE_IN_DESCRIPTOR = Pattern.compile("L([^;]+);");

  /** A field or method that a class declares. */
  public record Member(String name, String descriptor, int access) {}

  /** A field or method that code refers to. */
  public record Ref(String owner, String name, String descriptor) {
    /** Whether it is a method or a constructor. */
    public boolean isMethod() {
      return descriptor.startsWith("(");
    }

    @Override
    public String toString() {
      return owner + "." + name + descriptor;
    }
  }

  /** Reads one class file. */
  public static ClassFile read(InputStream in) throws IOException {
    return new Reader(new DataInputStream(in)).read();
  }

  /** Follows chapter 4 of the Java Virtual Machine Specification. */
  private static final class Reader {
    private final DataInputStream in;
    private Object[] constants = {};

    Reader(DataInputStream in) {
      this.in = in;
    }

    /** A constant that consists of the numbers of others. */
    private record Numbers(int tag, int first, int second) {}

    ClassFile read() throws IOException {
      if (in.readInt() != 0xcafebabe) {
        throw new IOException("not a class file");
      }
      in.skipNBytes(4);
      readConstants();
      int access = in.readUnsignedShort();
      String name = className(in.readUnsignedShort());
      int superNumber = in.readUnsignedShort();
      String superName = superNumber == 0 ? "" : className(superNumber);
      List<String> interfaces = new ArrayList<>();
      for (int left = in.readUnsignedShort(); left > 0; left--) {
        interfaces.add(className(in.readUnsignedShort()));
      }
      Set<Member> members = new LinkedHashSet<>();
      readMembers(members);
      readMembers(members);
      Set<Ref> refs = new LinkedHashSet<>();
      Set<String> types = new LinkedHashSet<>();
      collect(refs, types);
      members.forEach(member -> addTypes(member.descriptor(), types));
      return new ClassFile(name, superName, interfaces, access, members, refs, types);
    }

    private void readConstants() throws IOException {
      constants = new Object[in.readUnsignedShort()];
      for (int i = 1; i < constants.length; i++) {
        int tag = in.readUnsignedByte();
        switch (tag) {
          case 1 -> constants[i] = in.readUTF();
          case 7, 8, 16, 19, 20 -> constants[i] = new Numbers(tag, in.readUnsignedShort(), 0);
          case 9, 10, 11, 12, 17, 18 ->
              constants[i] = new Numbers(tag, in.readUnsignedShort(), in.readUnsignedShort());
          case 15 -> constants[i] = new Numbers(tag, in.readUnsignedByte(), in.readUnsignedShort());
          case 3, 4 -> in.skipNBytes(4);
          case 5, 6 -> {
            in.skipNBytes(8);
            i++; // takes two places
          }
          default -> throw new IOException("unknown constant " + tag);
        }
      }
    }

    private void readMembers(Set<Member> members) throws IOException {
      for (int left = in.readUnsignedShort(); left > 0; left--) {
        int access = in.readUnsignedShort();
        String name = text(in.readUnsignedShort());
        members.add(new Member(name, text(in.readUnsignedShort()), access));
        for (int attributes = in.readUnsignedShort(); attributes > 0; attributes--) {
          in.skipNBytes(2);
          in.skipNBytes(in.readInt());
        }
      }
    }

    private void collect(Set<Ref> refs, Set<String> types) {
      for (Object constant : constants) {
        if (constant instanceof Numbers numbers) {
          switch (numbers.tag()) {
            case 7 -> addClass(text(numbers.first()), types);
            case 9, 10, 11 -> {
              Numbers nameAndType = (Numbers) constants[numbers.second()];
              String owner = text(((Numbers) constants[numbers.first()]).first());
              // an array's methods are those of Object
              refs.add(
                  new Ref(
                      owner.startsWith("[") ? "java.lang.Object" : owner.replace('/', '.'),
                      text(nameAndType.first()),
                      text(nameAndType.second())));
            }
            case 12 -> addTypes(text(numbers.second()), types);
            case 16 -> addTypes(text(numbers.first()), types);
            default -> {}
          }
        }
      }
    }

    private static void addClass(String name, Set<String> types) {
      if (name.startsWith("[")) {
        addTypes(name, types);
      } else {
        types.add(name.replace('/', '.'));
      }
    }

    private static void addTypes(String descriptor, Set<String> types) {
      Matcher matcher = TYPE_IN_DESCRIPTOR.matcher(descriptor);
      while (matcher.find()) {
        types.add(matcher.group(1).replace('/', '.'));
      }
    }

    private String className(int number) {
      return text(((Numbers) constants[number]).first()).replace('/', '.');
    }

    private String text(int number) {
      return (String) constants[number];
    }
  }
}
