// Hello is the bundled ARM64 guest of `make run`: it exercises goroutines, the
// garbage collector, floating point and maps, and says what it runs on.
package main

import (
	"fmt"
	"math"
	"runtime"
	"sort"
	"strings"
	"sync"
)

func main() {
	words := strings.Fields("hello from an arm64 program that runs on an x86-64 machine")
	counts := make(map[int]int)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, w := range words {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			counts[len(w)]++
		})
	}
	wg.Wait()
	runtime.GC()
	lengths := make([]int, 0, len(counts))
	for n := range counts {
		lengths = append(lengths, n)
	}
	sort.Ints(lengths)
	fmt.Println(strings.Join(words, " "))
	for _, n := range lengths {
		fmt.Printf("%2d letters: %s\n", n, strings.Repeat("*", counts[n]))
	}
	fmt.Printf("%s/%s, pi = %.15f\n", runtime.GOOS, runtime.GOARCH, 4*math.Atan(1))
}
