package io.malob.testing;

import static net.bytebuddy.matcher.ElementMatchers.any;
import static net.bytebuddy.matcher.ElementMatchers.isAbstract;
import static net.bytebuddy.matcher.ElementMatchers.isNative;
import static net.bytebuddy.matcher.ElementMatchers.not;

import java.lang.instrument.Instrumentation;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiFunction;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.agent.builder.AgentBuilder.RedefinitionStrategy;
import net.bytebuddy.agent.builder.ResettableClassFileTransformer;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.utility.OpenedClassReader;
import org.mockito.internal.PremainAttachAccess;

/**
 * Watches code under test while it runs: which methods are entered, or which locks, and by which
 * thread. Changes the byte code of loaded classes until it is closed, so there is one at a time.
 * Needs Mockito's agent, which Maven gives to all tests.
 */
public final class CodeWatch implements AutoCloseable {
  private static final String SELF = Type.getInternalName(CodeWatch.class);

  /** The virtual machine stands still once for each batch of classes. */
  private static final int BATCH = 256;

  private static final String LOCKS = "java/util/concurrent/locks/";

  /** Written by the watched code. */
  private static final Queue<Event> EVENTS = new ConcurrentLinkedQueue<>();

  private final Instrumentation instrumentation = PremainAttachAccess.getInstrumentation();
  private final ResettableClassFileTransformer transformer;

  /**
   * A method or lock that was entered.
   *
   * @param thread the name of the thread
   * @param where class and method
   * @param lock what was locked; the class and method again if a method was watched
   */
  public record Event(String thread, String where, Object lock) {
    /** The lock by its class and identity, and where it was entered. */
    @Override
    public String toString() {
      return thread + ": " + where + " of " + lock.getClass().getSimpleName();
    }
  }

  private CodeWatch(
      ElementMatcher<? super TypeDescription> types,
      ElementMatcher<? super MethodDescription> methods,
      BiFunction<MethodDescription, MethodVisitor, MethodVisitor> change) {
    EVENTS.clear();
    AsmVisitorWrapper wrapper =
        new AsmVisitorWrapper.ForDeclaredMethods()
            .writerFlags(ClassWriter.COMPUTE_MAXS)
            .invokable(
                not(isAbstract()).and(not(isNative())).and(methods),
                (type, method, visitor, context, pool, writerFlags, readerFlags) ->
                    change.apply(method, visitor));
    transformer =
        new AgentBuilder.Default()
            .disableClassFormatChanges()
            .with(RedefinitionStrategy.RETRANSFORMATION)
            // a class that cannot be changed must not keep the others from it
            .with(RedefinitionStrategy.BatchAllocator.ForFixedSize.ofSize(BATCH))
            .with(RedefinitionStrategy.Listener.BatchReallocator.splitting())
            .with(AgentBuilder.TypeStrategy.Default.REDEFINE)
            .ignore(not(types))
            .type(any())
            .transform((builder, type, loader, module, domain) -> builder.visit(wrapper))
            .installOn(instrumentation);
  }

  /** Watches methods of some classes. */
  public static CodeWatch ofMethods(
      ElementMatcher<? super TypeDescription> types,
      ElementMatcher<? super MethodDescription> methods) {
    return new CodeWatch(
        types,
        methods,
        (method, visitor) ->
            new MethodVisitor(OpenedClassReader.ASM_API, visitor) {
              @Override
              public void visitCode() {
                super.visitCode();
                visitLdcInsn(nameOf(method));
                visitInsn(Opcodes.DUP);
                tell(this);
              }
            });
  }

  /** Watches which monitors and locks the code of some classes enters, or tries to. */
  public static CodeWatch ofLocks(ElementMatcher<? super TypeDescription> types) {
    return new CodeWatch(types, any(), LockVisitor::new);
  }

  /** What was entered by a thread since this was made, in order. */
  public List<Event> by(Thread thread) {
    return EVENTS.stream().filter(event -> event.thread.equals(thread.getName())).toList();
  }

  /** Forgets what was entered until now. */
  public void clear() {
    EVENTS.clear();
  }

  /** Called by the watched code. */
  public static void entered(Object lock, String where) {
    EVENTS.add(new Event(Thread.currentThread().getName(), where, lock));
  }

  private static void tell(MethodVisitor visitor) {
    visitor.visitMethodInsn(
        Opcodes.INVOKESTATIC, SELF, "entered", "(Ljava/lang/Object;Ljava/lang/String;)V", false);
  }

  private static String nameOf(MethodDescription method) {
    return method.getDeclaringType().getTypeName() + "." + method.getName();
  }

  /** Tells of each lock just before it is entered. */
  private static final class LockVisitor extends MethodVisitor {
    private final MethodDescription method;

    LockVisitor(MethodDescription method, MethodVisitor visitor) {
      super(OpenedClassReader.ASM_API, visitor);
      this.method = method;
    }

    @Override
    public void visitCode() {
      super.visitCode();
      if (method.isSynchronized()) {
        if (method.isStatic()) {
          visitLdcInsn(Type.getType(method.getDeclaringType().asErasure().getDescriptor()));
        } else {
          visitVarInsn(Opcodes.ALOAD, 0);
        }
        tellOfTop();
      }
    }

    @Override
    public void visitInsn(int opcode) {
      if (opcode == Opcodes.MONITORENTER) {
        super.visitInsn(Opcodes.DUP);
        tellOfTop();
      }
      super.visitInsn(opcode);
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      boolean locks = name.equals("lock") || name.equals("tryLock") || name.equals("acquire");
      if (owner.startsWith(LOCKS) && locks && descriptor.startsWith("()")) {
        super.visitInsn(Opcodes.DUP);
        tellOfTop();
      }
      super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
    }

    private void tellOfTop() {
      visitLdcInsn(nameOf(method));
      tell(this);
    }
  }

  @Override
  public void close() {
    transformer.reset(instrumentation, RedefinitionStrategy.RETRANSFORMATION);
    EVENTS.clear();
  }
}
