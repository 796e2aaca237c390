package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

type config struct {
	culink, nvlink string
	objects        []int
	live           []int
	ladder         []int
	functions      int
	runs           int
	limit          time.Duration
	keep           string
	// archive is a static library with device code to link for archiveArch.
	archive, archiveArch string
}

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	var c config
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.StringVar(&c.culink, "culink", "", "the culink binary (default: built from this checkout)")
	fs.StringVar(&c.nvlink, "nvlink", "", "the nvlink to compare with (default: the one on PATH or under CUDA_HOME, if any)")
	objects := fs.String("objects", "2,250,1000,4000", "numbers of files of the first shape")
	liveSizes := fs.String("live", "250,1000,4000", "numbers of files of the second shape, in which every function is called")
	ladderSizes := fs.String("ladder", "8,16,24,32,64", "numbers of files of the ladder")
	fs.IntVar(&c.functions, "functions", 16, "functions in each file")
	fs.IntVar(&c.runs, "runs", 5, "runs of each link; the fastest counts")
	fs.DurationVar(&c.limit, "limit", 30*time.Second, "a linker that takes longer than this is stopped and not tried on larger sizes")
	fs.StringVar(&c.keep, "keep", "", "write the inputs here and keep them")
	fs.StringVar(&c.archive, "archive", "", "a static library with device code, such as libcufft_static.a: time a link of it alone, too")
	fs.StringVar(&c.archiveArch, "archive-arch", "sm_90", "the architecture that the library is linked for")
	if err := fs.Parse(args); err != nil {
		return err
	}
	var err error
	if c.objects, err = sizes(*objects); err != nil {
		return err
	}
	if c.live, err = sizes(*liveSizes); err != nil {
		return err
	}
	if c.ladder, err = sizes(*ladderSizes); err != nil {
		return err
	}
	return c.bench(out)
}

func sizes(list string) ([]int, error) {
	var out []int
	for f := range strings.SplitSeq(list, ",") {
		if f = strings.TrimSpace(f); f == "" {
			continue
		}
		n, err := strconv.Atoi(f)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is not a number of files", f)
		}
		out = append(out, n)
	}
	return out, nil
}

func (c *config) bench(out io.Writer) error {
	dir := c.keep
	if dir == "" {
		d, err := os.MkdirTemp("", "culink-bench")
		if err != nil {
			return err
		}
		defer os.RemoveAll(d)
		dir = d
	}
	if err := c.tools(dir); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d processors, %s; wall time is the least of %d runs\n\n", runtime.NumCPU(), runtime.Version(), c.runs)
	for _, s := range []struct {
		name  string
		files []int
		calls calls
	}{{"objects", c.objects, few}, {"live", c.live, all}, {"ladder", c.ladder, ladder}} {
		if len(s.files) == 0 {
			continue
		}
		if err := c.series(out, dir, s.name, s.files, s.calls); err != nil {
			return err
		}
	}
	if c.archive != "" {
		return c.library(out, dir)
	}
	return nil
}

// library times the link of a static library alone: reading it, choosing code for the target, linking that.
func (c *config) library(out io.Writer, dir string) error {
	info, err := os.Stat(c.archive)
	if err != nil {
		return err
	}
	args := []string{"-arch=" + c.archiveArch, c.archive}
	a := c.time(c.culink, args, filepath.Join(dir, "culink.cubin"))
	if !a.ok {
		return fmt.Errorf("culink on %s: %s", c.archive, a.note)
	}
	b, ratio, same := figure{note: "-"}, "-", "-"
	if c.nvlink != "" {
		if b = c.time(c.nvlink, args, filepath.Join(dir, "nvlink.cubin")); b.ok {
			ratio = fmt.Sprintf("%.1fx", float64(b.wall)/float64(a.wall))
			same = compare(filepath.Join(dir, "culink.cubin"), filepath.Join(dir, "nvlink.cubin"))
		}
	}
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tw, "archive\tinput\tculink\tpeak\tnvlink\tpeak\tratio\timage\t\n")
	fmt.Fprintf(tw, "%s\t%.0f MB\t%s\t%s\t%s\t%s\t%s\t%s\t\n", filepath.Base(c.archive), float64(info.Size())/1e6, a.time(), a.memory(), b.time(), b.memory(), ratio, same)
	return tw.Flush()
}

// tools finds the two linkers.
func (c *config) tools(dir string) error {
	if c.culink == "" {
		c.culink = filepath.Join(dir, "culink")
		b, err := exec.Command("go", "build", "-o", c.culink, "github.com/culink/culink/linker/cmd/culink").CombinedOutput()
		if err != nil {
			return fmt.Errorf("building culink: %w\n%s", err, b)
		}
	}
	if c.nvlink == "" {
		c.nvlink, _ = exec.LookPath("nvlink")
	}
	if home := os.Getenv("CUDA_HOME"); c.nvlink == "" && home != "" {
		if p := filepath.Join(home, "bin", "nvlink"); exists(p) {
			c.nvlink = p
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// figure is one measured link.
type figure struct {
	wall time.Duration
	rss  int64 // KiB
	ok   bool
	note string
}

func (c *config) series(out io.Writer, dir, name string, files []int, shapeOf calls) error {
	tw := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(tw, "%s\tinput\tculink\tpeak\tnvlink\tpeak\tratio\timage\t\n", name)
	var culink, nvlink []figure
	var at []int
	slow := c.nvlink == ""
	for _, n := range files {
		s := shape{name: name, files: n, functions: c.functions, calls: shapeOf}
		in, size, err := s.write(filepath.Join(dir, fmt.Sprintf("%s%d", name, n)))
		if err != nil {
			return err
		}
		a := c.time(c.culink, objectArgs(in), filepath.Join(dir, "culink.cubin"))
		if !a.ok {
			return fmt.Errorf("culink on %s %d: %s", name, n, a.note)
		}
		b := figure{note: "-"}
		same := "-"
		if !slow {
			b = c.time(c.nvlink, objectArgs(in), filepath.Join(dir, "nvlink.cubin"))
			slow = !b.ok
			if b.ok {
				same = compare(filepath.Join(dir, "culink.cubin"), filepath.Join(dir, "nvlink.cubin"))
			}
		}
		culink, nvlink, at = append(culink, a), append(nvlink, b), append(at, n)
		ratio := "-"
		if b.ok {
			ratio = fmt.Sprintf("%.1fx", float64(b.wall)/float64(a.wall))
		}
		fmt.Fprintf(tw, "%d\t%.1f MB\t%s\t%s\t%s\t%s\t%s\t%s\t\n", n, float64(size)/1e6, a.time(), a.memory(), b.time(), b.memory(), ratio, same)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "exponent of time over files: culink %s, nvlink %s\n\n", exponent(at, culink), exponent(at, nvlink))
	return nil
}

func (f figure) time() string {
	if !f.ok {
		return f.note
	}
	return fmt.Sprintf("%.1f ms", float64(f.wall.Microseconds())/1000)
}

func (f figure) memory() string {
	if !f.ok {
		return "-"
	}
	return fmt.Sprintf("%.0f MB", float64(f.rss)/1024)
}

// write makes the inputs and an options file that names them.
func (s *shape) write(dir string) (options string, size int64, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", 0, err
	}
	var list strings.Builder
	for n := range s.files {
		b := s.object(n)
		p := filepath.Join(dir, fmt.Sprintf("m%d.cubin", n))
		if err := os.WriteFile(p, b, 0o644); err != nil {
			return "", 0, err
		}
		size += int64(len(b))
		fmt.Fprintln(&list, p)
	}
	options = filepath.Join(dir, "options.txt")
	return options, size, os.WriteFile(options, []byte(list.String()), 0o644)
}

// objectArgs links what an options file names.
func objectArgs(options string) []string { return []string{"-arch=sm_80", "--options-file", options} }

// time links with one tool several times and keeps the fastest run.
func (c *config) time(tool string, args []string, image string) figure {
	best := figure{note: "failed"}
	for range c.runs {
		cmd := exec.Command(tool, append(slices.Clone(args), "-o", image)...)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		start := time.Now()
		if err := cmd.Start(); err != nil {
			return figure{note: err.Error()}
		}
		timer := time.AfterFunc(c.limit, func() { cmd.Process.Kill() })
		err := cmd.Wait()
		wall := time.Since(start)
		if !timer.Stop() {
			return figure{note: fmt.Sprintf("> %s", c.limit)}
		}
		if err != nil {
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				return figure{note: strings.TrimSpace(stderr.String()) + " (" + exit.String() + ")"}
			}
			return figure{note: err.Error()}
		}
		if rss := peakMemory(cmd.ProcessState); !best.ok || wall < best.wall {
			best = figure{wall: wall, rss: rss, ok: true}
		}
		if wall > 2*time.Second {
			break
		}
	}
	return best
}

// compare reads two files piece by piece: a child's peak memory is reported as at least that of the process that starts it, so this one stays small.
func compare(a, b string) string {
	x, errX := os.Open(a)
	y, errY := os.Open(b)
	if errX != nil || errY != nil {
		return "unreadable"
	}
	defer x.Close()
	defer y.Close()
	bufX, bufY := make([]byte, 1<<16), make([]byte, 1<<16)
	for {
		n, errX := io.ReadFull(x, bufX)
		m, errY := io.ReadFull(y, bufY)
		switch {
		case string(bufX[:n]) != string(bufY[:m]):
			return "DIFFERENT"
		case errX != nil && errY != nil:
			return "same bytes"
		}
	}
}

// exponent fits log(time) = e*log(n) + c over the sizes from 100 files (or the upper half of a short series), where the
// start of a process no longer counts.
func exponent(n []int, f []figure) string {
	var sx, sy, sxx, sxy, k float64
	for i := range n {
		if !f[i].ok || n[i] < 8 {
			continue
		}
		x, y := math.Log(float64(n[i])), math.Log(float64(f[i].wall))
		sx, sy, sxx, sxy, k = sx+x, sy+y, sxx+x*x, sxy+x*y, k+1
	}
	if k < 2 {
		return "-"
	}
	return fmt.Sprintf("%.2f", (k*sxy-sx*sy)/(k*sxx-sx*sx))
}
