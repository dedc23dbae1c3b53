// Command kubectl-whatif-devices answers before anybody acts: who would have to leave for a pod that
// claims devices, as the release of Kubernetes decides, and as KEP-5690 proposes?
//
//	kubectl whatif-devices --live --pending ml/train-2
//	kubectl whatif-devices --cluster dump.json -f pod.yaml --exact
//	kubectl whatif-devices --cluster dump.json --pending all
//
// Without a cluster it asks about a small sample. README.md has the rest.
package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/internal/screen"
	"github.com/outrank-go/outrank/examples/internal/stamp"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/live"
	"github.com/outrank-go/outrank/preemption"
)

// Names of the program: that of its file, and the typed command.
const (
	programName = "kubectl-whatif-devices"
	displayName = "kubectl whatif-devices"
)

// sample is the cluster that is asked about where none is named, and samplePod its pod.
//
//go:embed sample/cluster.json
var sample []byte

const samplePod = "ml/urgent"

// clusterRole allows what --live reads.
//
//go:embed clusterrole.yaml
var clusterRole string

// Exit statuses, of which those above 2 are for --exit-status alone. They are about the release.
const (
	exitFits     = 0
	exitUnusable = 2
	exitEvicts   = 3
	exitStays    = 4
)

// everything is the length of a list that is not cut.
const everything = math.MaxInt

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// options are the flags.
type options struct {
	clusters, manifests        []string
	recursive, live            bool
	context, kubeconfig        string
	pending, namespace, whyNot string
	exact, exitStatus, timings bool
	format, color              string
	list, workers              int
	release                    outrank.Release
	now                        time.Time
	set                        map[string]bool
}

// run is the whole program but for the process around it.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	status := exitFits
	root := command(func(o *options) error {
		var out bytes.Buffer // so that an error leaves no half answer
		exit, err := o.answer(stdin, stdout, stderr, &out)
		if err == nil {
			_, err = out.WriteTo(stdout)
		}
		if o.exitStatus {
			status = exit
		}
		return err
	})
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.SetArgs(append([]string{}, args...)) // nil would be those of the process
	if err := root.Execute(); err != nil {
		complain(stderr, err)
		return exitUnusable
	}
	return status
}

// mostProblems keep a thoroughly broken dump from filling the screen.
const mostProblems = 20

func complain(w io.Writer, err error) {
	fmt.Fprintln(w, "whatif-devices:", screen.Safe(err.Error()))
	var in *inputTrouble
	if !errors.As(err, &in) {
		return
	}
	for _, p := range in.problems[:min(len(in.problems), mostProblems)] {
		fmt.Fprintln(w, " ", screen.Safe(p.String()))
	}
	if more := len(in.problems) - mostProblems; more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
}

// elsewhere are the questions of kubectl whatif that are not asked here.
var elsewhere = []string{"replicas", "replacements", "on-node", "static", "across", "more-nodes", "least-priority", "largest", "emptiable", "why-preempted", "events", "report", "diff",
	"without", "add-node", "set-class", "priorityclass", "recreate", "set-budget", "resize", "delete", "trace", "sample", "scheduler-config", "admission-config", "cpu", "memory", "request", "class", "priority"}

func command(do func(*options) error) *cobra.Command {
	o := &options{set: map[string]bool{}, namespace: outrank.DefaultNamespace}
	version := false
	c := &cobra.Command{
		Use: programName + " [--live | --cluster FILE] [--pending POD | -f FILE] [flags]", Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: displayName},
		Short: "Who would have to leave for a pod that claims devices, as the release decides and as KEP-5690 proposes?",
		Long:  "Who would have to leave for a pod that claims devices, as the release decides and as KEP-5690 proposes?\nThe dump is what this prints:\n\n  " + dumpCommand + " > dump.json",
		Example: "  kubectl whatif-devices                                     # a sample cluster\n" +
			"  kubectl whatif-devices --live --pending ml/train-2         # who would have to leave for it, both ways?\n" +
			"  kubectl whatif-devices --cluster dump.json --pending all   # what becomes of everything that waits?\n" +
			"  kubectl whatif-devices --cluster dump.json --pending ml/train-2 --why-not gpu-7",
		SilenceErrors: true, SilenceUsage: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unexpected argument %q: the pod and the cluster are named by flags; run %s -h for them", args[0], displayName)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), stamp.Here().Line(programName))
				return err
			}
			if err := o.check(cmd); err != nil {
				return err
			}
			return do(o)
		},
	}
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		for _, name := range elsewhere {
			if strings.HasSuffix(err.Error(), "--"+name) {
				return fmt.Errorf("--%s is a question for kubectl whatif, which does not look at devices; run %s -h for the flags here", name, displayName)
			}
		}
		return fmt.Errorf("%w; run %s -h for the flags", err, displayName)
	})
	f := c.Flags()
	f.SortFlags = false
	f.BoolVar(&o.live, "live", false, "ask kubectl for the cluster of its current context")
	f.StringVar(&o.context, "context", "", "the same for the kubectl context of a `NAME`")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "the same by a kubeconfig `FILE`")
	f.StringSliceVar(&o.clusters, "cluster", nil, "`FILE`s or folders with the dump, JSON or YAML, - for standard input (default: a sample)")
	f.BoolVarP(&o.recursive, "recursive", "R", false, "also the folders below")
	f.StringVar(&o.pending, "pending", "", "a `POD` of the dump that waits, as NAMESPACE/NAME, or \"all\" (default: all of a dump, one of the sample)")
	f.StringSliceVarP(&o.manifests, "filename", "f", nil, "a `FILE` with a pod or something that makes pods, and the claims and templates that belong to it, - for standard input")
	f.StringVarP(&o.namespace, "namespace", "n", o.namespace, "the namespace of what names none, by `NAME`")
	f.StringVar(&o.whyNot, "why-not", "", "everything about the devices of a `NODE` for the pod: how many match, who holds them, whose leaving frees which claim")
	f.BoolVar(&o.exact, "exact", false, "beside each answer the best one by the same ranks, with what proves it")
	f.StringVarP(&o.format, "output", "o", "text", "the `FORM` of the answer: text, wide, json, yaml or html")
	f.StringVar(&o.color, "color", console.Auto, "`WHEN` to colour: auto, always or never")
	f.IntVar(&o.list, "list", 5, "how many entries the lists of the text have, and how many nodes are looked at for their devices, a `NUMBER`, 0 for all")
	f.TextVar(&o.release, "release", outrank.DefaultRelease, "whose rules hold: `RELEASE` v1.36 or v1.37 (default: that of the newest kubelet in the dump)")
	f.Lookup("release").DefValue = ""
	f.Func("now", "a `TIME` at which to ask (default: a second after the latest in the dump)", func(text string) (err error) {
		if o.now, err = time.Parse(time.RFC3339, text); err != nil {
			return errors.New("a time is written like 2026-01-10T12:00:00Z")
		}
		return nil
	})
	f.IntVar(&o.workers, "workers", min(runtime.GOMAXPROCS(0), 64), "a `NUMBER` of goroutines that share the work; the answer does not depend on it")
	f.Lookup("workers").DefValue = "0"
	f.BoolVar(&o.exitStatus, "exit-status", false, "tell what the release does by the exit status: 0 it fits, 3 somebody has to leave, 4 a pod stays pending")
	f.BoolVar(&o.timings, "timings", false, "say on standard error how long each step took")
	f.BoolVar(&version, "version", false, "the version")
	c.AddCommand(&cobra.Command{Use: "clusterrole", Short: "Print the ClusterRole that allows what --live reads, for kubectl apply -f -", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), clusterRole)
			return err
		}})
	return c
}

// check refuses values that mean nothing and flags that contradict each other.
func (o *options) check(cmd *cobra.Command) error {
	for _, name := range []string{"live", "context", "kubeconfig", "cluster", "pending", "filename", "why-not", "release", "list", "namespace"} {
		o.set[name] = cmd.Flags().Changed(name)
	}
	for _, f := range []struct {
		name  string
		empty bool
	}{{"pending", o.pending == ""}, {"why-not", o.whyNot == ""}, {"context", o.context == ""}, {"kubeconfig", o.kubeconfig == ""}, {"namespace", o.namespace == ""},
		{"cluster", slices.Contains(o.clusters, "") || len(o.clusters) == 0}, {"filename", slices.Contains(o.manifests, "") || len(o.manifests) == 0}} {
		if (o.set[f.name] || f.name == "namespace") && f.empty {
			return fmt.Errorf("--%s is empty; give it a value or leave it out", f.name)
		}
	}
	switch {
	case !slices.Contains([]string{"text", "wide", "json", "yaml", "html"}, o.format):
		return fmt.Errorf("--output %s: the formats are text, wide, json, yaml or html", o.format)
	case o.list < 0:
		return fmt.Errorf("--list %d: a number of entries cannot be negative", o.list)
	case o.asksKubectl() && o.set["cluster"]:
		return errors.New("--live asks kubectl for the cluster, and --cluster names a file; use one of them")
	case o.set["pending"] && o.set["filename"]:
		return errors.New("--pending and --filename name different pods; use one of them")
	case len(o.manifests) > 1:
		return errors.New("--filename names several files, and the question is about one pod; put what belongs to it into one file")
	case slices.Contains(o.clusters, input.Stdin) && slices.Contains(o.manifests, input.Stdin):
		return errors.New("--cluster - and --filename - both read standard input; give one of them a file")
	case o.all() && (o.set["why-not"] || o.exact):
		return errors.New("--why-not and --exact are about one pod; name it with --pending or --filename")
	case o.all() && o.format == "html":
		return errors.New("--output html is about one pod; name it with --pending or --filename")
	case o.workers < 1:
		return fmt.Errorf("--workers %d: at least one", o.workers)
	}
	if err := (&preemption.Config{Workers: o.workers}).Validate(); err != nil {
		return fmt.Errorf("--workers: %w", err)
	}
	if o.list == 0 {
		o.list = everything
	}
	return nil
}

func (o *options) asksKubectl() bool { return o.live || o.context != "" || o.kubeconfig != "" }

func (o *options) sampled() bool { return !o.asksKubectl() && len(o.clusters) == 0 }

// all reports whether the question is about all pods that wait.
func (o *options) all() bool {
	return o.pending == "all" || o.pending == "" && len(o.manifests) == 0 && !o.sampled()
}

// load reads the cluster that the options name.
func (o *options) load(stdin io.Reader, stderr io.Writer) (d *dump, err error) {
	switch {
	case o.sampled():
		return readDump("the sample cluster", bytes.NewReader(sample))
	case o.asksKubectl():
		from := live.Cluster{Context: o.context, Kubeconfig: o.kubeconfig, More: deviceKinds, Program: displayName}
		if !o.set["namespace"] {
			o.namespace = cmp.Or(from.Namespace(context.Background()), o.namespace)
		}
		warnings, err := from.Read(context.Background(), func(r io.Reader) (err error) {
			d, err = readDump(from.String(), r)
			return err
		})
		for _, text := range warnings {
			fmt.Fprintln(stderr, "whatif-devices: warning:", screen.Safe(text))
		}
		return d, err
	}
	files, err := input.Expand(o.clusters, o.recursive)
	if err != nil {
		return nil, fmt.Errorf("--cluster: %w", err)
	}
	open := func(name string) (io.Reader, func() error, error) {
		r, _, done, err := input.Open(name, stdin)
		if err != nil {
			return nil, nil, fmt.Errorf("--cluster: %w", err)
		}
		return r, done, nil
	}
	if len(files) > 1 {
		all := input.Merge(files, open).Reader()
		defer all.Close()
		return readDump(fmt.Sprintf("%d files", len(files)), all)
	}
	r, done, err := open(files[0])
	if err != nil {
		return nil, err
	}
	defer done()
	text, err := input.JSON(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", input.Called(files[0]), err)
	}
	return readDump(input.Called(files[0]), text)
}

// answer decides, and prints the whole of standard output to out.
func (o *options) answer(stdin io.Reader, stdout, stderr io.Writer, out io.Writer) (exit int, err error) {
	watch := stopwatch{last: time.Now()}
	look, err := console.ScreenOf(stdout, o.color, os.Getenv)
	if err != nil {
		return 0, fmt.Errorf("--color %s: %w", o.color, err)
	}
	d, err := o.load(stdin, stderr)
	if err != nil {
		return 0, err
	}
	watch.lap("loading")
	from, err := o.settle(d)
	if err != nil {
		return 0, err
	}
	doc, exit, err := o.ask(d, from, stdin)
	if err != nil {
		return 0, err
	}
	watch.lap("deciding")
	for i, w := range doc.Warnings {
		if i == mostNear {
			fmt.Fprintf(stderr, "whatif-devices: and %d more warnings\n", len(doc.Warnings)-i)
			break
		}
		fmt.Fprintln(stderr, "whatif-devices: warning:", screen.Safe(w.String()))
	}
	if o.timings {
		fmt.Fprintln(stderr, "whatif-devices:", watch.text)
	}
	page := console.Page{W: out, Screen: look}
	switch o.format {
	case "json":
		err = writeJSON(out, doc)
	case "yaml":
		err = writeYAML(out, doc)
	case "html":
		err = writePage(out, doc)
	case "wide":
		page.Width = 0
		doc.text(page, everything)
	default:
		doc.text(page, o.list)
	}
	return exit, err
}

// settle enters release and time.
func (o *options) settle(d *dump) (from string, err error) {
	if err := d.lacking(); err != nil {
		return "", err
	}
	from = "--release"
	if d.cluster.Release = o.release; !o.set["release"] {
		read, err := d.cluster.ReleaseOfNodes()
		d.cluster.Release = cmp.Or(read, outrank.DefaultRelease)
		switch from = "as the nodes say"; {
		case err != nil:
			from = "the nearest known to what the nodes say"
		case read == 0:
			from = "the default, as no node says one"
		}
	}
	if o.now.IsZero() && !d.cluster.AsOf.IsZero() {
		o.now = d.cluster.AsOf.Add(time.Second)
	}
	return from, nil
}

// ask asks the question.
func (o *options) ask(d *dump, from string, stdin io.Reader) (doc *Document, exit int, err error) {
	if o.all() {
		var made []outrank.Key
		for _, p := range d.line() {
			if object := d.podOf(p.Key()); object != nil {
				made = append(made, d.make(object)...)
			}
		}
		doc = newDocument(d, "pending", from, o.now)
		if len(made) > 0 {
			doc.Caveats = append(doc.Caveats, caveat{"the dump", "has pods that wait whose claims were not made yet, and kube-scheduler does not look at a pod until they are; they count as made from their templates: " + keys(made, mostNear)})
		}
		doc.Caveats = append(doc.Caveats, d.gated()...)
		if doc.Turns, err = playBoth(d, o.now, o.workers); err != nil {
			return nil, 0, err
		}
		return doc, exitOfAll(doc.Turns), nil
	}
	s, err := o.subject(d, stdin)
	if err != nil {
		return nil, 0, err
	}
	var made []outrank.Key
	if p := d.podOf(s.pod.Key()); p != nil {
		made = d.make(p)
	}
	doc = newDocument(d, "pod", from, o.now)
	if o.whyNot != "" {
		doc.Question, doc.Why = "whyNot", o.whyNot
		if !slices.ContainsFunc(d.cluster.Nodes, func(n *outrank.Node) bool { return n.Name == o.whyNot }) {
			return nil, 0, fmt.Errorf("--why-not %s: there is no such node in the dump", o.whyNot)
		}
	}
	doc.Pod = d.asked(s)
	doc.Caveats = append(doc.Caveats, d.aboutPod(s, made)...)
	doc.Both, err = decideBoth(d, question{asking: asking{exact: o.exact}, pod: s.pod, now: o.now, workers: o.workers, node: o.whyNot, list: o.list})
	if err != nil {
		return nil, 0, err
	}
	return doc, exitOf(doc.Both.Release.Outcome), nil
}

// gated names pods that take no turn.
func (d *dump) gated() (out []caveat) {
	var names []string
	for _, p := range d.cluster.Pods {
		if p.NodeName == "" && (p.Gated() || p.Terminating()) {
			names = append(names, string(p.Key()))
		}
	}
	if len(names) > 0 {
		out = append(out, caveat{"the dump", "has pods that wait and take no turn, for their scheduling gates or because they are being deleted: " + some(names, mostNear)})
	}
	return out
}

// subject finds the pod in question.
func (o *options) subject(d *dump, stdin io.Reader) (*subject, error) {
	if len(o.manifests) == 1 {
		r, _, done, err := input.Open(o.manifests[0], stdin)
		if err != nil {
			return nil, fmt.Errorf("--filename: %w", err)
		}
		defer done()
		return d.bring(o.manifests[0], o.namespace, r)
	}
	return d.pending(o.namespace, cmp.Or(o.pending, samplePod))
}

func exitOf(outcome preemption.Outcome) int {
	switch outcome {
	case preemption.Fits:
		return exitFits
	case preemption.Preempt:
		return exitEvicts
	}
	return exitStays
}

func exitOfAll(turns []pair) int {
	exit := exitFits
	for i := range turns {
		switch turns[i].Release.Outcome {
		case pushesOut:
			exit = max(exit, exitEvicts)
		case waits:
			exit = exitStays
		}
	}
	return exit
}

// stopwatch measures the steps that --timings reports.
type stopwatch struct {
	last time.Time
	text string
}

func (s *stopwatch) lap(step string) {
	if s.text != "" {
		s.text += ", "
	}
	s.text += fmt.Sprintf("%s took %.3f s", step, time.Since(s.last).Seconds())
	s.last = time.Now()
}
