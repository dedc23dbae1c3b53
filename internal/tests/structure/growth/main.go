// Command growth counts how much code runs, and how many bytes are allocated, for inputs that repeat one
// thing many times, at two sizes. It fails if the work grows faster than the input. It counts instead of
// measuring time, so that the answer is the same on every machine, whatever else the machine does.
//
// It also counts what runs between two looks of a call at its context, and fails if that is more than ten
// thousand steps, and what runs for each question of kubectl-whatif on clusters of 500, 1,000 and 2,000 nodes.
//
//	go run -C internal/tests/structure ./growth [-v] [-whatif]
//
// The module's own packages, and those of the standard library that it calls most, are built with coverage
// counters. What a single call repeats outside of them, such as a search for one byte or a copy, counts once;
// copies that are kept show in the bytes.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank/internal/tests/structure"
)

const (
	module  = "github.com/outrank-go/outrank"
	growing = module + "/internal/tests/structure/growth/counted"
	looking = module + "/internal/tests/structure/growth/looked"
	covered = module + "/...,bufio,bytes,encoding/json,io,maps,slices,sort,strconv,strings"
)

// A step is a node that is asked, or a pod or a candidate that is gone through. The code that runs most often
// runs about three times for one step: for each of a node's filters, or for each resource that a pod
// requests.
const (
	mostSteps    = 10_000
	turnsPerStep = 3
	// mostAfter is the most looks at a context after its end. A joint plan that was found before is still
	// checked then.
	mostAfter = 64
)

func main() {
	verbose := flag.Bool("v", false, "print every work, not only those that grow too fast")
	whatif := flag.Bool("whatif", false, "count the questions of kubectl-whatif alone")
	structure.Main("growth", func() (bool, error) { return run(os.Stdout, *verbose, *whatif) })
}

// run measures everything, and reports whether all of it stays within the bounds.
func run(w io.Writer, verbose, whatif bool) (bool, error) {
	dir, err := os.MkdirTemp("", "work")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)

	if whatif {
		return asked(w, dir, verbose)
	}
	grown, err := counted(dir, growing, covered)
	if err != nil {
		return false, err
	}
	slow, err := table(w, grown, verbose)
	if err != nil {
		return false, err
	}

	looked, err := counted(dir, looking, module+"/...")
	if err != nil {
		return false, err
	}
	long, err := looks(w, looked, verbose)
	if err != nil {
		return false, err
	}

	large, err := asked(w, dir, verbose)
	return slow && long && large, err
}

// counted builds a program with counters in the packages that covered names, runs it, and returns the lines
// that it prints.
func counted(dir, program, covered string) ([]string, error) {
	at := filepath.Join(dir, filepath.Base(program))
	if _, err := output("go", "build", "-C", "internal/tests/structure", "-cover", "-covermode=atomic", "-coverpkg="+covered, "-o", at, program); err != nil {
		return nil, err
	}
	counters := at + ".counters"
	lines, err := output(at, counters)
	return strings.Split(strings.TrimSpace(lines), "\n"), err
}

// looks prints the calls, and reports whether each looks at its context often enough. For a call that does
// not, it names the code that ran most often.
func looks(w io.Writer, lines []string, verbose bool) (bool, error) {
	ok := true
	for _, line := range lines {
		fields := strings.Split(line, "\t")
		if len(fields) != 5 {
			return false, fmt.Errorf("not a line of looked: %q", line)
		}

		most, err := strconv.Atoi(fields[1])
		after, err2 := strconv.Atoi(fields[3])
		if err := errors.Join(err, err2); err != nil {
			return false, err
		}

		long := most > mostSteps*turnsPerStep || after > mostAfter
		if long || verbose {
			fmt.Fprintf(w, "%-50s at most %6d turns between two looks, %2d looks after the end, of %s\n", fields[0], most, after, fields[2])
		}

		if most > mostSteps*turnsPerStep {
			at, err := hottest(fields[4])
			if err != nil {
				return false, err
			}
			fmt.Fprintf(w, "  most often: %s\n", at)
		}

		ok = ok && !long
	}
	fmt.Fprintf(w, "%d calls looked at between the looks at their contexts\n", len(lines))
	return ok, nil
}

// hottest returns the place of the code that ran most often, by the counters in a folder.
func hottest(dir string) (string, error) {
	at, most := "", -1.0
	err := pieces(dir, func(place string, _, times float64) {
		if times > most {
			at, most = place, times
		}
	})
	return at, err
}

// spare is the factor by which memory may grow faster than work. A slice that grows may end with up to a
// third more than it needs, for the small input or for the large one.
const spare = 1.5

// output runs a command and returns its standard output. An error has its standard error.
func output(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "GOCOVERDIR="+os.TempDir())
	var out, said strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", filepath.Base(name), err, said.String())
	}
	return out.String(), nil
}

// table prints the works, and reports whether none grows too fast.
func table(w io.Writer, lines []string, verbose bool) (bool, error) {
	ok := true
	for _, line := range lines {
		g, err := growthOf(strings.Split(line, "\t"))
		if err != nil {
			return false, err
		}
		fast := g.steps > g.allowed || g.bytes > g.allowed*spare
		if fast || verbose {
			fmt.Fprintf(w, "%-50s allowed %5.1f  steps %5.1f  bytes %5.1f\n", g.name, g.allowed, g.steps, g.bytes)
		}
		ok = ok && !fast
	}
	fmt.Fprintf(w, "%d works counted at two sizes\n", len(lines))
	return ok, nil
}

// growth says by which factor a work may grow between its two sizes, and by which its steps and bytes do.
type growth struct {
	name                  string
	allowed, steps, bytes float64
}

// growthOf reads a line of command counted, and the counters that it refers to.
func growthOf(fields []string) (growth, error) {
	if len(fields) != 6 {
		return growth{}, fmt.Errorf("not a line of counted: %q", fields)
	}
	g := growth{name: fields[0]}
	var steps, bytes [2]float64
	var err error
	if g.allowed, err = strconv.ParseFloat(fields[1], 64); err != nil {
		return g, err
	}

	for i := range steps {
		if steps[i], err = stepsIn(fields[2+2*i]); err != nil {
			return g, err
		}
		if bytes[i], err = strconv.ParseFloat(fields[3+2*i], 64); err != nil {
			return g, err
		}
	}

	g.steps, g.bytes = steps[1]/steps[0], bytes[1]/bytes[0]
	return g, nil
}

// stepsIn returns the number of statements that ran, by the counters in a folder.
func stepsIn(dir string) (float64, error) {
	sum := 0.0
	err := pieces(dir, func(_ string, statements, times float64) { sum += statements * times })
	return sum, err
}

// pieces calls see for each piece of code in the counters of a folder, with its place, the number of its
// statements, and how often it ran.
func pieces(dir string, see func(place string, statements, times float64)) error {
	text := filepath.Join(dir, "counters.txt")
	if _, err := output("go", "tool", "covdata", "textfmt", "-i="+dir, "-o="+text); err != nil {
		return err
	}

	f, err := os.Open(text)
	if err != nil {
		return err
	}
	defer f.Close()

	lines := bufio.NewScanner(f)
	for lines.Scan() {
		parts := strings.Fields(lines.Text())
		if len(parts) != 3 {
			continue // the first line, which names the mode
		}

		statements, err := strconv.ParseFloat(parts[1], 64)
		if err != nil {
			return err
		}
		times, err := strconv.ParseFloat(parts[2], 64)
		if err != nil {
			return err
		}

		see(parts[0], statements, times)
	}
	return lines.Err()
}
