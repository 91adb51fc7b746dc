import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Garbage, threads and traps: what a collector and a compiler of the JVM live from. */
public class Gc {
    static int deeper(int n) {
        return deeper(n + 1) + 1;
    }

    public static void main(String[] args) throws Exception {
        var pool = Executors.newFixedThreadPool(4);
        List<Future<Long>> sums = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int k = i;
            sums.add(pool.submit(() -> {
                long sum = 0;
                List<byte[]> kept = new ArrayList<>();
                for (int j = 0; j < 2000; j++) {
                    kept.add(new byte[5000 + j]);
                    if (kept.size() > 100) {
                        sum += kept.remove(j % 100).length;
                    }
                }
                return sum * k;
            }));
        }
        for (var sum : sums) {
            System.out.print(sum.get() + " ");
        }
        pool.shutdown();
        System.out.println(IntStream.range(0, 50000).parallel().boxed().collect(Collectors.groupingByConcurrent(i -> i % 100)).size());
        try {
            Object none = args.length > 5 ? "" : null;
            none.hashCode();
        } catch (NullPointerException e) {
            System.out.print("null ");
        }
        try {
            deeper(0);
        } catch (StackOverflowError e) {
            System.out.print("deep ");
        }
        try {
            int[] three = new int[3];
            System.out.println(three[args.length + 4]);
        } catch (ArrayIndexOutOfBoundsException e) {
            System.out.println(e.getMessage());
        }
        System.gc();
    }
}
