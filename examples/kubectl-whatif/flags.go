package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// options is what the command line says.
type options struct {
	cluster, pending, manifest string
	scheduler                  string // a file of its configuration
	release                    outrank.Release

	// The pod described by flags.
	name, namespace, class string
	priority               *int32
	requests               resource.List
	labels, nodeSelector   map[string]string

	format  string
	now     time.Time
	workers int
	list    int
	timings bool

	set map[string]bool // flags that were given
}

// describing are the flags that describe a pod.
var describing = []string{"cpu", "memory", "request", "class", "priority", "name", "namespace", "labels", "node-selector"}

// described reports whether the pod is described by flags.
func (o *options) described() bool {
	return slices.ContainsFunc(describing, func(name string) bool { return o.set[name] })
}

// source is what to call the cluster in messages.
func (o *options) source() string {
	switch o.cluster {
	case "":
		return sampleName
	case "-":
		return "standard input"
	}
	return o.cluster
}

// parse reads the command line. The error is flag.ErrHelp where help is wanted.
func parse(args []string) (*options, error) {
	o := &options{set: map[string]bool{}}
	fs := o.flagSet()
	fs.VisitAll(once)
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil, err
	} else if err != nil {
		return nil, fmt.Errorf("%w; run whatif -h for the flags", err)
	}
	fs.Visit(func(f *flag.Flag) { o.set[f.Name] = true })
	if fs.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q: the pod and the cluster are named by flags; run whatif -h for them", fs.Arg(0))
	}
	return o, o.check()
}

func (o *options) flagSet() *flag.FlagSet {
	fs := flag.NewFlagSet("whatif", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // errors are returned, and the usage is our own
	fs.StringVar(&o.cluster, "cluster", "", "")
	fs.StringVar(&o.pending, "pending", "", "")
	fs.StringVar(&o.manifest, "pod", "", "")
	fs.Func("cpu", "", func(s string) error { return o.request("cpu", s) })
	fs.Func("memory", "", func(s string) error { return o.request("memory", s) })
	fs.Func("request", "", o.requestPair)
	fs.StringVar(&o.class, "class", "", "")
	fs.Func("priority", "", o.setPriority)
	fs.StringVar(&o.name, "name", "what-if", "")
	fs.StringVar(&o.namespace, "namespace", outrank.DefaultNamespace, "")
	fs.Func("labels", "", func(s string) (err error) { o.labels, err = pairs(s); return })
	fs.Func("node-selector", "", func(s string) (err error) { o.nodeSelector, err = pairs(s); return })
	fs.TextVar(&o.release, "release", outrank.DefaultRelease, "")
	fs.StringVar(&o.scheduler, "scheduler-config", "", "")
	fs.StringVar(&o.format, "o", "text", "")
	fs.Func("now", "", o.setNow)
	fs.IntVar(&o.workers, "workers", min(runtime.GOMAXPROCS(0), 64), "")
	fs.IntVar(&o.list, "list", 5, "")
	fs.BoolVar(&o.timings, "timings", false, "")
	return fs
}

// check refuses values that mean nothing and flags that contradict each other.
func (o *options) check() error {
	if o.format != "text" && o.format != "json" {
		return fmt.Errorf("-o %s: the formats are text and json", o.format)
	}
	if o.list < 0 {
		return fmt.Errorf("-list %d: a number of entries cannot be negative", o.list)
	}
	if err := (&preemption.Config{Workers: o.workers}).Validate(); err != nil {
		return fmt.Errorf("-workers: %w", err)
	}
	for _, name := range []string{"cluster", "pending", "pod", "name", "namespace"} {
		if o.set[name] && o.valueOf(name) == "" {
			return fmt.Errorf("-%s is empty; give it a value or leave it out", name)
		}
	}
	if err := o.checkNames(); err != nil {
		return err
	}
	return o.contradictions()
}

func (o *options) valueOf(name string) string {
	return map[string]string{
		"cluster": o.cluster, "pending": o.pending, "pod": o.manifest,
		"name": o.name, "namespace": o.namespace,
	}[name]
}

// contradictions: there is one pod, and each thing about it is said once.
func (o *options) contradictions() error {
	var ways []string
	for _, name := range []string{"pending", "pod"} {
		if o.set[name] {
			ways = append(ways, "-"+name)
		}
	}
	if i := slices.IndexFunc(describing, func(name string) bool { return o.set[name] }); i >= 0 {
		ways = append(ways, "-"+describing[i])
	}
	if len(ways) > 1 {
		return fmt.Errorf("%s name different pods; use one of -pending, -pod and the flags that describe a pod", strings.Join(ways, " and "))
	}
	if o.set["class"] && o.set["priority"] {
		return errors.New("-class and -priority both say how important the pod is; use one of them")
	}
	if o.cluster == "-" && o.manifest == "-" {
		return errors.New("-cluster - and -pod - both read standard input; give one of them a file")
	}
	return nil
}

// request takes in one amount that the pod asks for.
func (o *options) request(name resource.Name, text string) error {
	if !name.Counted() {
		return fmt.Errorf("%q is not counted by the scheduler; other resources have a domain, like nvidia.com/gpu", string(name))
	}
	q, err := resource.Parse(text)
	if err != nil {
		return fmt.Errorf("an amount is written like 500m, 2 or 8Gi: %w", err)
	}
	if q.Sign() < 0 {
		return errors.New("an amount cannot be negative")
	}
	if _, twice := o.requests[name]; twice {
		return fmt.Errorf("%s is given twice", name)
	}
	if o.requests == nil {
		o.requests = resource.List{}
	}
	o.requests[name] = q
	return nil
}

func (o *options) requestPair(text string) error {
	name, amount, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return errors.New("write name=amount, like nvidia.com/gpu=1")
	}
	return o.request(resource.Name(name), amount)
}

func (o *options) setPriority(text string) error {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return errors.New("a priority is a whole number of 32 bits, like 1000")
	}
	o.priority = outrank.Priority(int32(n))
	return nil
}

func (o *options) setNow(text string) (err error) {
	if o.now, err = time.Parse(time.RFC3339, text); err != nil {
		return errors.New("a time is written like 2026-01-10T12:00:00Z")
	}
	if o.now.IsZero() {
		return errors.New("the year 1 is no time to ask about")
	}
	return nil
}

// pairs reads a=b,c=d.
func pairs(text string) (map[string]string, error) {
	out := map[string]string{}
	for _, pair := range strings.Split(text, ",") {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%q is not key=value; write a=b,c=d", pair)
		}
		if _, twice := out[key]; twice {
			return nil, fmt.Errorf("%s is given twice", key)
		}
		if err := labelProblem(key, value); err != nil {
			return nil, err
		}
		out[key] = value
	}
	return out, nil
}
