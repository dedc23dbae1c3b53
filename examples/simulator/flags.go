package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/examples/simulator/workload"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
	"github.com/outrank-go/outrank/resource"
)

// options are the settings of the command line.
type options struct {
	// nodes and pods are paths. Both are empty for the sample.
	nodes, pods string
	classes     workload.Classes
	gangs       int // the pods of each gang, 0 for no gangs
	kubelets    bool
	// kubeletOrder says which pods are evicted for a critical pod.
	kubeletOrder sim.Kubelets
	static       *workload.Amounts // the requests of a static pod on each node, nil for no static pods
	podsPerNode  int64
	shape        workload.Shape
	queue        sim.Discipline
	score        sim.Scheduler // only Score or Scorer is set
	variant      outrank.Variant
	order        execution.Order
	earlyPop     bool
	cycle        time.Duration
	until        time.Duration
	grace        time.Duration
	recreate     bool
	inspect      bool
	measures     measures
	version      bool
	format       string
	// events and chart are paths: empty for none, "-" for standard output.
	events, chart string
	// given are the flags that were given, as one would write them.
	given []string
	// texts has the values of flags that are a name or a mapping, by flag.
	texts map[string]string
}

// measures says what a run reports besides its summary.
type measures struct {
	metrics   bool
	fragments resource.Name // empty if fragments are not measured
	audit     bool
}

// wantsMetrics reports whether metrics are collected.
func (o *options) wantsMetrics() bool { return o.measures.metrics }

// parse reads the command line. The error is flag.ErrHelp if help was asked for.
func parse(args []string) (*options, error) {
	o := &options{classes: workload.DefaultClasses(), texts: map[string]string{"policy": "current", "score": "least", "order": "sync"}}
	fs := o.flagSet()
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil, err
	} else if err != nil {
		return nil, fmt.Errorf("%w; run simulator -h for the flags", err)
	}
	fs.Visit(func(f *flag.Flag) { o.give(f) })
	if fs.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q; run simulator -h for the flags", fs.Arg(0))
	}
	return o, o.check()
}

// flagSet declares the flags. They have no usage texts, because printUsage describes all of them.
func (o *options) flagSet() *flag.FlagSet {
	fs := flag.NewFlagSet("simulator", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	o.declareInput(fs)
	o.declareWork(fs)
	o.declareRules(fs)
	o.declareOutput(fs)
	return fs
}

// declareInput declares the flags for the input.
func (o *options) declareInput(fs *flag.FlagSet) {
	fs.StringVar(&o.nodes, "nodes", "", "")
	fs.StringVar(&o.pods, "pods", "", "")
	fs.Func("classes", "", o.kept("classes", func(s string) (err error) { o.classes, err = workload.ParseClasses(s); return }))
	fs.Int64Var(&o.podsPerNode, "pods-per-node", 110, "")
}

// declareWork declares the flags that change the work.
func (o *options) declareWork(fs *flag.FlagSet) {
	fs.IntVar(&o.gangs, "gangs", 0, "")
	fs.Func("static", "", o.kept("static", func(s string) error {
		asks, err := workload.ParseStatic(s)
		o.static, o.kubelets = &asks, true
		return err
	}))
	fs.Float64Var(&o.shape.Load, "load", 1, "")
	fs.Float64Var(&o.shape.TimeScale, "time-scale", 1, "")
	fs.DurationVar(&o.shape.Jitter, "jitter", 0, "")
	fs.Uint64Var(&o.shape.Seed, "seed", 1, "")
}

// declareRules declares the flags about the rules of the run.
func (o *options) declareRules(fs *flag.FlagSet) {
	fs.BoolVar(&o.kubelets, "kubelets", false, "")
	orders := map[string]sim.Kubelets{"class": {}, "priority": {PriorityFirst: true}, "best": {Exact: true}}
	fs.Func("kubelet-order", "", o.kept("kubelet-order", func(name string) error {
		o.kubelets = true
		return choice(&o.kubeletOrder, orders)(name)
	}))

	fs.Func("queue", "", o.kept("queue", choice(&o.queue, map[string]sim.Discipline{"priority": sim.PriorityQueue, "fifo": sim.FIFOQueue})))
	fs.Func("score", "", o.kept("score", choice(&o.score, map[string]sim.Scheduler{
		"least": {Score: sim.LeastAllocated}, "most": {Score: sim.MostAllocated}, "profile": {Scorer: &score.Scorer{}},
	})))

	variants := map[string]outrank.Variant{}
	for _, v := range []outrank.Variant{0, outrank.VariantV1_13, outrank.VariantSimplified} {
		variants[v.String()] = v
	}
	fs.Func("policy", "", o.kept("policy", choice(&o.variant, variants)))
	fs.Func("order", "", o.kept("order", choice(&o.order, map[string]execution.Order{"sync": execution.Synchronous, "async": execution.Asynchronous})))

	fs.BoolVar(&o.earlyPop, "early-pop", true, "")
	fs.DurationVar(&o.cycle, "cycle", 0, "")
	fs.DurationVar(&o.until, "until", 0, "")
	fs.DurationVar(&o.grace, "grace", sim.DefaultGrace, "")
	fs.BoolVar(&o.recreate, "recreate", true, "")
}

// declareOutput declares the flags that say what is written.
func (o *options) declareOutput(fs *flag.FlagSet) {
	fs.BoolVar(&o.inspect, "inspect", false, "")
	fs.BoolVar(&o.measures.metrics, "metrics", false, "")
	columns := map[string]resource.Name{"cpu": resource.CPU, "memory": resource.Memory, "gpu": workload.GPU}
	fs.Func("fragments", "", o.kept("fragments", func(name string) error {
		o.measures.metrics = true
		return choice(&o.measures.fragments, columns)(name)
	}))
	fs.BoolVar(&o.measures.audit, "audit", false, "")

	fs.StringVar(&o.format, "o", "text", "")
	fs.StringVar(&o.events, "events", "", "")
	fs.StringVar(&o.chart, "chart", "", "")
	fs.BoolVar(&o.version, "version", false, "")
}

// kept returns a parser for a flag that also records the text of the value.
func (o *options) kept(name string, read func(string) error) func(string) error {
	return func(text string) error {
		o.texts[name] = text
		return read(text)
	}
}

// choice returns a parser for a flag whose value is one of a few names.
func choice[T any](to *T, names map[string]T) func(string) error {
	return func(name string) error {
		value, ok := names[name]
		if !ok {
			return fmt.Errorf("it is one of %s", strings.Join(slices.Sorted(maps.Keys(names)), ", "))
		}
		*to = value
		return nil
	}
}

// check rejects values that make no sense, and flags that contradict each other.
func (o *options) check() error {
	if err := o.checkValues(); err != nil {
		return err
	}
	if err := o.checkTogether(); err != nil {
		return err
	}
	if err := o.shape.Validate(); err != nil {
		return err
	}
	return o.distinct()
}

// checkValues rejects values that make no sense.
func (o *options) checkValues() error {
	switch {
	case o.format != "text" && o.format != "json":
		return fmt.Errorf("-o %s: the formats are text and json", o.format)
	case (o.nodes == "") != (o.pods == ""):
		return errors.New("-nodes and -pods belong together; give both, or none for the sample")
	case o.shape.Load == 0 || o.shape.TimeScale == 0: // in a Shape 0 means the default
		return errors.New("-load and -time-scale are factors above 0")
	case o.podsPerNode < 1 || o.podsPerNode > 1_000_000:
		return fmt.Errorf("-pods-per-node %d is not between 1 and 1000000", o.podsPerNode)
	case o.cycle < 0 || o.grace < 0 || o.until < 0:
		return errors.New("-cycle, -grace and -until are not negative")
	case o.gangs < 0 || o.gangs == 1 || o.gangs > workload.MostGang:
		return fmt.Errorf("-gangs %d is neither 0 nor between 2 and %d", o.gangs, workload.MostGang)
	}
	return nil
}

// checkTogether rejects flags that contradict each other.
func (o *options) checkTogether() error {
	switch {
	case o.variant != 0 && o.order == execution.Asynchronous:
		return fmt.Errorf("-order does not go together with -policy %v, which has its own", o.variant)
	case o.variant == outrank.VariantV1_13 && !o.earlyPop:
		return fmt.Errorf("-early-pop does not go together with -policy %v, which has no backoff", o.variant)
	case o.gangs > 0 && (o.queue != sim.PriorityQueue || o.variant != 0):
		return errors.New("-gangs needs -queue priority and -policy current")
	case o.gangs > 0 && o.kubelets:
		return errors.New("-gangs does not go together with -kubelets, -kubelet-order and -static")
	case o.measures.metrics && o.inspect:
		return errors.New("-metrics and -fragments are about a run, and -inspect runs nothing")
	case o.chart == "-":
		return errors.New("-chart needs the name of a file")
	case o.events == "-" && o.format == "json":
		return errors.New("-events - and -o json both write standard output; give the events a file")
	}
	return nil
}

// distinct rejects flags with the same path. [files.distinct] finds equal files with different paths.
func (o *options) distinct() error {
	taken := map[string]string{}
	for _, f := range []struct{ flag, path string }{
		{"-nodes", o.nodes}, {"-pods", o.pods}, {"-events", o.events}, {"-chart", o.chart},
	} {
		if f.path == "" || f.path == "-" {
			continue
		}
		clean := filepath.Clean(f.path)
		if other, ok := taken[clean]; ok {
			return fmt.Errorf("%s and %s are the same file, %s", other, f.flag, f.path)
		}
		taken[clean] = f.flag
	}
	return nil
}

// printUsage prints the description of all flags.
func printUsage(w io.Writer) {
	fmt.Fprintf(w, `Usage: simulator [flags]

Runs a cluster on virtual time, from a list of nodes and one of pods, and says
how it went.

Input
  -nodes file         nodes as CSV: sn,cpu_milli,memory_mib,gpu,model
  -pods file          pods as CSV: name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,
                      creation_time,deletion_time,scheduled_time; and for -kubelets
                      node_name,static,memory_used_mib
                      (without both: a small sample)
  -classes list       priority of each service class
                      (default %s)
  -pods-per-node n    how many pods a node takes (default 110)

Work
  -load factor        how many pods there are for each one of the list (default 1)
  -time-scale factor  what the times between arrivals are multiplied with; how
                      long pods run stays as it is (default 1)
  -jitter duration    how far after its original a copy comes at most
                      (default: a hundredth of the time in which pods come)
  -gangs n            each n pods of a service class, in the order of arrival, are a
                      gang: they come together with the last of them, are placed
                      all or none, and leave together when one has to; then they
                      are made anew and wait together. By the rules of v1.37
                      (default 0: none)
  -static cpu,memory  a static pod that asks for so much, in thousandths of a core and
                      MiB, comes to every node, one node after another; their kubelets
                      evict others for it. This switches -kubelets on
  -seed n             decides about copies and when they come, and among nodes
                      of equal score (default 1; with 0 the first of the nodes)

Rules
  -queue priority|fifo      who is scheduled first (default priority)
  -score least|most|profile
                            which of the nodes that take a pod: the least or the
                            most allocated, or the one that kube-scheduler's default
                            profile takes (default least)
  -policy current|v1.13|simplified
                            whose preemption: that of today, that of Kubernetes v1.13,
                            or a simple form found in tutorials; from the victims to
                            the order of carrying out and the queue (default current)
  -order sync|async         victims are evicted and then the pod is nominated; or
                            the other way round while the scheduler goes on. Only
                            for the policy current (default async)
  -early-pop=false          a pod that did not fit waits to the end of its backoff,
                            also while the scheduler has nothing else to do
  -cycle duration           how long the scheduler takes for a pod (default 0s)
  -grace duration           how long an evicted pod takes to end (default 30s)
  -recreate=false           do not make evicted pods anew, from the beginning
  -kubelets                 kubelets admit the pods that come to their nodes, evict
                            others for critical ones, and evict where pods use more
                            memory than the node has. Pods with a node_name come to
                            it past the scheduler, static ones among them; a pod uses
                            its memory_used_mib, else what it asks for. The qos of
                            Guaranteed, Burstable and BE says who goes first
  -kubelet-order class|priority|best
                            who goes for a critical pod: by class, as kubelets do;
                            by priority first; or the best set of pods of a class
                            (default class). This switches -kubelets on
  -until duration           end the run at that time (default: when nothing
                            happens any more)

Output
  -o text|json        form of the answer (default text)
  -events file        what happens, one event a line; - is standard output
  -chart file.svg     a picture of what is in use, who waits and who is evicted
  -metrics            more figures behind the summary, in text over a few stretches of
                      time and in JSON over up to 240: completion times, slowdown,
                      utilisation, goodput, lost work, fairness, evictions by cause
  -fragments resource how much of what is free of cpu, memory or gpu is of no use to
                      typical pods: to the 20 most frequent kinds. This switches
                      -metrics on
  -audit              check at every event that no node is overcommitted and that
                      every pod's life and all lost work add up
  -inspect            run nothing: say what the pods ask for over time
  -version            say which version this is
`, workload.DefaultClasses())
}
