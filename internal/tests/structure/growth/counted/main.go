// Command counted performs, at two sizes, each work that must stay in proportion to its input, and records
// how often each piece of code ran. Command growth builds it with coverage counters and adds them up.
//
//	counted DIR
//
// It prints a line for each work: its name, the factor by which it may grow, and for both sizes the folder of
// the counters below DIR and the number of allocated bytes.
package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/coverage"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/manifest"
	"github.com/outrank-go/outrank/internal/tests/hostile"
	kubeexplain "github.com/outrank-go/outrank/kubeletadmit/explain"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/preemption/kube"
	"github.com/outrank-go/outrank/preemption/planner/tenancy"
	schedulerconfig "github.com/outrank-go/outrank/preemption/scheduler/config"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
)

// work is done at a size, and at one that is larger by the factor times. It may grow by the factor allowed.
type work struct {
	name        string
	size, times int
	allowed     float64
	// of prepares an input of a size, and returns the function that is measured.
	of func(size int) (func() error, error)
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "counted: the folder for the counters is missing")
		os.Exit(2)
	}
	for i, w := range works() {
		if err := w.count(filepath.Join(os.Args[1], fmt.Sprint(i))); err != nil {
			fmt.Fprintf(os.Stderr, "counted: %s: %v\n", w.name, err)
			os.Exit(1)
		}
	}
}

// count measures the work at both sizes and prints its line.
func (w work) count(dir string) error {
	fmt.Printf("%s\t%g", w.name, w.allowed)
	for i, size := range []int{w.size, w.size * w.times} {
		run, err := w.of(size)
		if err != nil {
			return err
		}

		at := filepath.Join(dir, fmt.Sprint(i))
		if err := os.MkdirAll(at, 0o755); err != nil {
			return err
		}
		allocated, err := counted(run, at)
		if err != nil {
			return err
		}
		fmt.Printf("\t%s\t%d", at, allocated)
	}
	fmt.Println()
	return nil
}

// counted runs a function, writes the counters of the code that ran to a folder, and returns the number of
// bytes that were allocated.
func counted(run func() error, dir string) (uint64, error) {
	var before, after runtime.MemStats
	if err := coverage.ClearCounters(); err != nil {
		return 0, err
	}
	runtime.ReadMemStats(&before)
	if err := run(); err != nil {
		return 0, err
	}
	runtime.ReadMemStats(&after)
	if err := coverage.WriteCountersDir(dir); err != nil {
		return 0, err
	}
	return after.TotalAlloc - before.TotalAlloc, coverage.WriteMetaDir(dir)
}

// linear returns the factor allowed for work that is linear in its input, or linear but for a logarithm, if
// the input grows by the factor times.
func linear(times int) float64 { return float64(times + times/2) }

// works lists everything that is measured.
func works() []work {
	var all []work
	for _, name := range slices.Sorted(maps.Keys(hostile.Dumps)) {
		all = append(all, reading(name, hostile.Dumps[name]))
	}
	all = append(all,
		long("72 MB of pods", `{"kind":"List","items":[@{"kind":"Pod",`+wide+`@]}`),
		long("72 MB of what is called pods behind it", `{"items":[@{`+wide+`@],"kind":"PodList"}`))

	// Strings come in large reads and in small ones. A reader that starts a string again at each read would
	// be quadratic.
	for _, of := range []string{`a`, `\n`, `\"`, `\\`} {
		all = append(all,
			taking("large reads of "+of, of, func(text string) io.Reader { return strings.NewReader(text) }),
			taking("small reads of "+of, of, func(text string) io.Reader { return hostile.SmallReads(text, 64) }))
	}

	for _, kind := range hostile.Crowds {
		all = append(all, deciding(kind))
	}

	for _, lists := range hostile.Pairs {
		all = append(all, comparing(lists))
	}
	for _, name := range slices.Sorted(maps.Keys(hostile.Configs)) {
		all = append(all, configuring(name, hostile.Configs[name]))
	}

	for _, name := range slices.Sorted(maps.Keys(trees)) {
		all = append(all, planting(name, trees[name]))
	}
	return append(all, ofTheBook()...)
}

// comparing asks the scheduler, its scores and the kubelet about a pod and a node with two long lists.
func comparing(lists hostile.Lists) work {
	const times = 8
	return work{"comparing " + lists.Name, 1000, times, linear(times), func(size int) (func() error, error) {
		c, asks := lists.Cluster(size)
		alone, _ := lists.Cluster(size)
		alone.Pods = nil // without the running pod, which takes all the room, scores are compared, too

		e, err := engine.New(preemption.Config{})
		if err != nil {
			return nil, err
		}
		scorer, err := score.New(score.Config{})
		if err != nil {
			return nil, err
		}

		return func() error {
			ctx, now := context.Background(), time.Unix(0, 0).UTC()
			for _, c := range []*outrank.Cluster{c, alone} {
				snap, err := engine.NewSnapshot(c)
				if err != nil {
					return err
				}
				if _, err := explain.Ask(ctx, explain.Question{Evaluator: e, Snapshot: snap, Request: preemption.Request{Pod: asks, Now: now}}, explain.Options{}); err != nil {
					return err
				}
				if _, err := scorer.Rank(ctx, e, snap, asks); err != nil {
					return err
				}
			}

			_, err := kubeexplain.Ask(ctx, kubeexplain.Question{Node: c.Nodes[0], Active: c.Pods, Pod: asks})
			return err
		}, nil
	}}
}

// configuring reads a scheduler configuration of a form.
func configuring(name, form string) work {
	const times = 16
	return work{"configuring " + name, 500, times, linear(times), func(size int) (func() error, error) {
		text := hostile.Written(form, size)
		return func() error {
			_, _ = schedulerconfig.Read(0, strings.NewReader(text)) // an error takes its time as well
			return nil
		}, nil
	}}
}

// planting checks a configuration of tenants and builds their tree.
func planting(name string, config func(n int) tenancy.Config) work {
	const times = 16
	return work{"tenants: " + name, 1000, times, linear(times), func(size int) (func() error, error) {
		c := config(size)
		return func() error {
			_, _ = tenancy.NewTree(c) // an error takes its time as well
			return nil
		}, nil
	}}
}

// reading reads a dump of a form, and collects the warnings about its cluster.
func reading(name, form string) work {
	const times = 16
	return work{"reading " + name, 1250, times, linear(times), func(size int) (func() error, error) {
		text := hostile.Written(form, size)
		return func() error {
			c, err := kube.ReadCluster(strings.NewReader(text))
			if err == nil {
				c.Warnings()
			}
			return nil // an error takes its time as well
		}, nil
	}}
}

// wide is the rest of a pod, mostly an annotation that nothing reads.
var wide = `"metadata":{"name":"p%d","annotations":{"text":"` + strings.Repeat("text ", 400) + `"}},"spec":{"containers":[{"name":"c"}]}}`

// long reads a dump of some megabytes, and one beyond the 64 MB that are held of a list whose kind stands
// behind its elements.
func long(name, form string) work {
	const times = 16
	return work{"reading " + name, 2250, times, linear(times), func(size int) (func() error, error) {
		text := hostile.Written(form, size)
		return func() error {
			_, _ = kube.ReadCluster(strings.NewReader(text)) // an error takes its time as well
			return nil
		}, nil
	}}
}

// taking splits a list with one long string into its elements.
func taking(name, of string, reads func(string) io.Reader) work {
	const times = 8
	return work{name, 1 << 15, times, linear(times), func(size int) (func() error, error) {
		text := hostile.Script(of, size)
		return func() error {
			return manifest.Each(reads(text), func(manifest.Item) error { return nil })
		}, nil
	}}
}

// deciding makes a snapshot of a cluster with many budgets, and explains a decision in it.
func deciding(kind hostile.Budgets) work {
	const times = 4
	allowed := linear(times)
	if kind.All {
		allowed = linear(times * times) // every budget covers every pod, so the pairs grow by the square
	}
	return work{"budgets: " + kind.Name, 500, times, allowed, func(size int) (func() error, error) {
		e, err := engine.New(preemption.Config{})
		if err != nil {
			return nil, err
		}
		c, asks := kind.Cluster(size), kind.Asking(size)
		return func() error {
			snap, err := engine.NewSnapshot(c)
			if err != nil {
				return err
			}
			_, err = e.Explain(context.Background(), snap, preemption.Request{Pod: asks, Now: time.Unix(0, 0).UTC()})
			return err
		}, nil
	}}
}
