package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == "child" {
		b, _ := io.ReadAll(os.Stdin)
		fmt.Printf("%s:%d:%s\n", os.Args[2], len(b), os.Getenv("MARK"))
		n, _ := strconv.Atoi(os.Args[2])
		os.Exit(n & 63)
	}
	n, _ := strconv.Atoi(os.Args[1])
	go func() {
		for {
			runtime.KeepAlive(make([]byte, 100000))
			runtime.Gosched()
			time.Sleep(100 * time.Microsecond)
		}
	}()
	var wg sync.WaitGroup
	bad := 0
	var mu sync.Mutex
	for w := 0; w < 2; w++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < n; i++ {
				cmd := exec.Command(os.Args[0], "child", strconv.Itoa(i))
				cmd.Env = append(os.Environ(), "MARK=x"+strconv.Itoa(w))
				cmd.Stdin = strings.NewReader(strings.Repeat("y", i*100))
				var out bytes.Buffer
				cmd.Stdout = &out
				err := cmd.Run()
				want := fmt.Sprintf("%d:%d:x%d\n", i, i*100, w)
				code := cmd.ProcessState.ExitCode()
				if out.String() != want || code != i&63 {
					mu.Lock()
					bad++
					mu.Unlock()
					fmt.Fprintf(os.Stderr, "%q %d %v\n", out.String(), code, err)
				}
				if i%10 == 0 {
					if _, err := exec.Command("/nonexistent").Output(); err == nil {
						bad++
					}
				}
			}
		}()
	}
	wg.Wait()
	fmt.Println("failed:", bad)
}
