package cuname

import (
	"bufio"
	"fmt"
	"os"
	"testing"
)

func TestScratch(t *testing.T) {
	n, _ := os.Open(os.Getenv("NAMES"))
	f, _ := os.Open(os.Getenv("FILT"))
	a, b := bufio.NewScanner(n), bufio.NewScanner(f)
	a.Buffer(nil, 1<<20)
	b.Buffer(nil, 1<<20)
	ok, all := 0, 0
	for a.Scan() && b.Scan() {
		all++
		if Demangle(a.Text()) == b.Text() {
			ok++
		} else if all-ok < 40 {
			fmt.Println(a.Text(), "\n  ", Demangle(a.Text()), "\n  ", b.Text())
		}
	}
	fmt.Println(ok, all)
}
