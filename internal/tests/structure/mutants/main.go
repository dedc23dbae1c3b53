package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/outrank-go/outrank/internal/tests/structure"
)

func main() {
	var o options
	flag.IntVar(&o.n, "n", 100, "how many mutants are drawn")
	flag.IntVar(&o.from, "from", 0, "how many of the first drawn are left out, to go on where another call ended")
	flag.Uint64Var(&o.seed, "seed", 1, "the seed of the draw")
	flag.StringVar(&o.packages, "packages", strings.Join(mutated, ","), "the folders of the packages to draw from; /... stands for those below")
	flag.StringVar(&o.about, "about", "", "draw as many from each of these topics: eligibility, reprieve, budgets, ranks, distance")
	flag.StringVar(&o.only, "only", "", "take all mutants at this place, FILE, FILE:LINE or FILE:LINE:COLUMN, and draw none")
	flag.BoolVar(&o.verbose, "v", false, "print each change, and the first sentence of the test that caught it")
	flag.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "how many mutants are judged at once")
	structure.Main("mutants", func() (bool, error) { return run(os.Stdout, ".", o) })
}

// options are the flags of the command.
type options struct {
	n, from               int
	seed                  uint64
	packages, about, only string
	verbose               bool
	workers               int
}

// run draws mutants, judges them and prints the verdicts. It reports whether each was caught or is equivalent,
// and every entry of the list of equivalent ones is about a mutant.
func run(w io.Writer, root string, o options) (bool, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return false, err
	}
	s, err := readStock(root, strings.Split(o.packages, ","))
	if err != nil {
		return false, err
	}
	entries, err := readReasons(filepath.Join(root, reasonsFile))
	if err != nil {
		return false, err
	}
	reasons, stale := s.reasonsFor(entries)
	for _, said := range stale {
		fmt.Fprintln(w, said)
	}

	mutants, err := s.asked(o)
	if err != nil {
		return false, err
	}
	verdicts, err := s.judge(w, mutants, reasons, o)
	if err != nil {
		return false, err
	}
	return total(w, len(s.all), verdicts) && len(stale) == 0, nil
}

// judge plants mutants, judges them, and prints each verdict.
func (s *stock) judge(w io.Writer, mutants []*mutant, reasons map[key]string, o options) ([]verdict, error) {
	c, err := newCourt(s.root, mutants, s.texts)
	if err != nil {
		return nil, err
	}
	defer c.close()
	verdicts, err := c.judgeAll(mutants, reasons, o.workers, func(i int, v verdict) { tell(w, o.from+i+1, mutants[i], v, o.verbose) })
	if err != nil {
		return nil, err
	}
	c.tellStages(w, o.verbose)
	if o.about != "" {
		tellPromises(w, mutants, verdicts)
	}
	return verdicts, nil
}

// asked returns the mutants that the options ask for.
func (s *stock) asked(o options) (mutants []*mutant, err error) {
	switch {
	case o.only != "":
		mutants = s.at(o.only)
	case o.about != "":
		named, err := topicsNamed(o.about)
		if err != nil {
			return nil, err
		}
		if mutants, err = s.drawAbout(named, o.n, o.seed); err != nil {
			return nil, err
		}
	default:
		mutants = s.draw(o.from+o.n, o.seed)
		mutants = mutants[min(o.from, len(mutants)):]
	}
	if len(mutants) == 0 {
		return nil, errors.New("there are no such mutants")
	}
	return mutants, nil
}

// judgeAll judges mutants, several at once. It calls told for each in their order, as soon as those before it
// are judged.
func (c *court) judgeAll(mutants []*mutant, reasons map[key]string, workers int, told func(i int, v verdict)) ([]verdict, error) {
	verdicts, errs := make([]verdict, len(mutants)), make([]error, len(mutants))
	next := make(chan int)
	done := make(chan int)
	var all sync.WaitGroup
	for range max(workers, 1) {
		all.Go(func() {
			for i := range next {
				verdicts[i], errs[i] = c.judge(stagesOf(mutants[i].folder, mutants[i].topic != nil), i+1, reasons[mutants[i].key])
				done <- i
			}
		})
	}
	go func() {
		for i := range mutants {
			next <- i
		}
		close(next)
		all.Wait()
		close(done)
	}()

	ready, n := make([]bool, len(mutants)), 0
	for i := range done {
		ready[i] = true
		for ; n < len(ready) && ready[n]; n++ {
			if errs[n] == nil {
				told(n, verdicts[n])
			}
		}
	}
	return verdicts, errors.Join(errs...)
}
