// The longest earlier match of each place of a text, along chains of a hash table as deflate compressors search. arg: thousand bytes
#include <stdio.h>
#include <stdlib.h>
enum { hashes = 1 << 12, window = 1 << 13, longest = 64, tries = 200 };
static unsigned char *text;
static unsigned head[hashes], prev[window];
static __attribute__((noinline)) int match(unsigned at, unsigned from, unsigned limit, int *best) {
    const unsigned char *scan = text + at; int len = 2, left = tries;
    unsigned char last = scan[len], before = scan[len - 1];
    do {
        const unsigned char *m = text + from;
        if (m[len] != last || m[len - 1] != before || m[0] != scan[0] || m[1] != scan[1]) continue;
        int n = 2;
        while (n < longest && m[n] == scan[n]) n++;
        if (n > len) {
            *best = from; len = n;
            if (n == longest) break;
            last = scan[len]; before = scan[len - 1];
        }
    } while ((from = prev[from % window]) > limit && --left);
    return len;
}
int main(int c, char **v) {
    unsigned n = (c > 1 ? atol(v[1]) : 500) * 1000, x = 1, h = 0; unsigned long sum = 0;
    text = malloc(n + longest + 1);
    for (unsigned i = 0; i < n + longest + 1; i++) {
        x = x * 1664525 + 1013904223;
        text[i] = i > 300 && x >> 29 ? text[i - 1 - (x >> 8) % 7 * 40] : 'a' + (x >> 24) % 5;
    }
    for (unsigned i = 1; i < n; i++) {
        h = (text[i] << 8 ^ text[i + 1] << 4 ^ text[i + 2]) % hashes;
        int best = 0; unsigned from = head[h], limit = i > window ? i - window : 0;
        if (from > limit) sum = sum * 31 + match(i, from, limit, &best) * 7 + best;
        prev[i % window] = from; head[h] = i;
    }
    printf("chain %lx\n", sum);
    return 0;
}
