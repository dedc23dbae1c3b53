// Command way prints the way of a decision through the code of the engine: the functions that a reader of one
// benchmark decision has to open, in the order in which they are first called.
//
//	go run -C internal/tests/structure ./way [-of COMMIT] [-group] [-short N] [-v]
//
// A stay is a run of such functions in one file. A return is a step into a package that the way has left
// before. Both are counted from the first call of the decision to its end. A function of at most fifteen
// lines is read where it is called, and so counts for neither; -short N sets another number. Tests are left
// out, and so are the root package and package resource, whose types are the vocabulary of all others.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank/internal/tests/structure"
)

// question is a benchmark, and the method in it whose call is followed.
type question struct {
	benchmark, method string
}

var (
	pod   = question{"^BenchmarkPreempt$/^nodes=1000/pods=30/budgets=20$", "Evaluator.Preempt"}
	group = question{"^BenchmarkGroups$/^pods=8$/^nodes=1000$", "Evaluator.PreemptGroup"}
)

func main() {
	var v view
	flag.StringVar(&v.commit, "of", "", "commit to look at; empty for what is checked out")
	asGroup := flag.Bool("group", false, "follow the decision about a group")
	flag.IntVar(&v.short, "short", 15, "lines of the longest function that is read where it is called")
	flag.BoolVar(&v.verbose, "v", false, "print every function, not only the files")
	structure.Main("way", func() (bool, error) {
		v.question = pod
		if *asGroup {
			v.question = group
		}
		return true, v.print(os.Stdout)
	})
}

// view says which way is printed, and how.
type view struct {
	question question
	commit   string
	short    int
	verbose  bool
}

// print follows the decision in a copy of the sources.
func (v *view) print(w io.Writer) error {
	dir, err := os.MkdirTemp("", "way")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	if err := checkOut(v.commit, dir); err != nil {
		return err
	}
	if err := instrument(dir, v.question.method); err != nil {
		return err
	}
	calls, err := follow(dir, v.question)
	if err != nil {
		return err
	}
	report(w, longer(calls, v.short), v.verbose)
	return nil
}

// call is the first call of a function in a decision. lines is the length of the function.
type call struct {
	file, function string
	lines          int
}

// room returns the folder of the function's package.
func (c call) room() string { return filepath.Dir(c.file) }

// follow runs the benchmark once, and returns the first call of each function in its last decision. By then
// everything is warm: memory of earlier decisions is reused, and answers are cached.
func follow(dir string, q question) ([]call, error) {
	pkg, err := packageOf(dir, q)
	if err != nil {
		return nil, err
	}

	log := filepath.Join(dir, "calls.txt")
	if _, err := output(dir, []string{"OUTRANK_WAY=" + log}, "go", "test", "./"+pkg, "-run", "^$", "-bench", q.benchmark, "-benchtime", "1x", "-cpu", "1"); err != nil {
		return nil, err
	}

	// The log is there only if the method was called.
	file, err := os.Open(log)
	if err != nil {
		return nil, fmt.Errorf("no call of %s was seen: %w", q.method, err)
	}
	defer file.Close()

	var calls []call
	seen := map[string]bool{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line := lines.Text()
		if seen[line] {
			continue
		}
		seen[line] = true

		words := strings.Split(line, "\t")
		length, err := strconv.Atoi(words[2])
		if err != nil {
			return nil, err
		}
		calls = append(calls, call{words[0], words[1], length})
	}
	return calls, lines.Err()
}

// longer returns the calls of functions that have more lines than short.
func longer(calls []call, short int) []call {
	return slices.DeleteFunc(calls, func(c call) bool { return c.lines <= short })
}

// report prints the files in the order of the way, and the numbers of functions, stays and returns.
func report(w io.Writer, calls []call, verbose bool) {
	stays, returns := 0, 0
	file, room := "", ""
	files, left := map[string]bool{}, map[string]bool{}
	for _, c := range calls {
		if c.file != file {
			stays++
			mark := ""
			if c.room() != room {
				if left[c.room()] {
					returns++
					mark = "  (return)"
				}
				left[room] = true
			}
			file, room = c.file, c.room()
			files[file] = true
			fmt.Fprintf(w, "%s%s\n", file, mark)
		}
		if verbose {
			fmt.Fprintf(w, "\t%s\n", c.function)
		}
	}
	fmt.Fprintf(w, "%d functions, %d stays in %d files, %d returns\n", len(calls), stays, len(files), returns)
}
