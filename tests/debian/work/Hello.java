import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;

// Threads, garbage, exceptions, reflection, hashing.
public class Hello {
    static long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

    public static void main(String[] args) throws Exception {
        System.out.println(System.getProperty("os.arch") + " " + fib(24));
        ExecutorService pool = Executors.newFixedThreadPool(4);
        List<Future<Integer>> sums = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            int k = i;
            sums.add(pool.submit(() -> IntStream.range(0, 20000).map(x -> x % (k + 1)).sum()));
        }
        for (Future<Integer> f : sums) System.out.print(f.get() + " ");
        pool.shutdown();
        System.out.println(pool.awaitTermination(10, TimeUnit.SECONDS));
        try {
            Object o = null;
            o.hashCode();
        } catch (NullPointerException e) {
            System.out.println("null pointer caught");
        }
        try {
            deep(0);
        } catch (StackOverflowError e) {
            System.out.println("stack overflow caught");
        }
        Map<String, Integer> m = new TreeMap<>();
        for (int i = 0; i < 50000; i++) m.merge("k" + i % 7, 1, Integer::sum);
        System.out.println(m);
        Process p = new ProcessBuilder("uname", "-m").start();
        System.out.print(new String(p.getInputStream().readAllBytes()));
        System.out.println(p.waitFor());
    }

    static int deep(int n) { return deep(n + 1) + 1; }
}
