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
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/internal/screen"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/clock"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/live"
	"github.com/outrank-go/outrank/preemption"
)

// The program has two names: the name of its file, and the command that is typed.
const (
	programName = "kubectl-whatif-devices"
	displayName = "kubectl whatif-devices"
)

// sample is the cluster that is asked about if none is named.
//
//go:embed sample/cluster.json
var sample []byte

// samplePod is the pod of the sample that is asked about.
const samplePod = "ml/urgent"

// clusterRole allows what --live reads.
//
//go:embed clusterrole.yaml
var clusterRole string

// Exit statuses. Statuses above 2 need --exit-status, and follow from the answer of the release.
const (
	exitFits     = 0
	exitUnusable = 2
	exitEvicts   = 3
	exitStays    = 4
)

// everything as the limit of a list means no limit.
const everything = math.MaxInt

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the whole program apart from the process around it. It returns the exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	status := exitFits
	root := command(func(o *options) error {
		// The output is written at once, so that an error leaves no half of an answer.
		var out bytes.Buffer
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
	// Cobra takes nil as a request for the arguments of the process.
	root.SetArgs(append([]string{}, args...))

	if err := root.Execute(); err != nil {
		console.Complain(stderr, "whatif-devices", err)
		return exitUnusable
	}
	return status
}

// load reads the cluster that the options name: the sample, the output of kubectl, or one or several files as
// one cluster.
func (o *options) load(stdin io.Reader, stderr io.Writer) (*dump, error) {
	switch {
	case o.sampled():
		return readDump("the sample cluster", bytes.NewReader(sample))
	case o.asksKubectl():
		return o.askKubectl(stderr)
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
		// The same object may occur in several files.
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

// askKubectl lets kubectl print the cluster and reads that. If no flag names a namespace, it also takes the one
// of kubectl's context.
func (o *options) askKubectl(stderr io.Writer) (d *dump, err error) {
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

// answer answers the question, and writes to out what belongs on standard output. Warnings and timings go to
// standard error. stdout only determines the width and the colours.
func (o *options) answer(stdin io.Reader, stdout, stderr io.Writer, out io.Writer) (exit int, err error) {
	watch := stopwatch{last: time.Now()}
	// An invalid value of --color is refused before anything is read.
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
		err = console.JSON(out, doc)
	case "yaml":
		err = console.YAML(out, doc)
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

// settle sets the release whose rules apply, and the time of the question. It returns where the release is
// from.
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

	given := !o.now.IsZero()
	if !given {
		o.now = clock.Of(d.cluster)
	}
	if !o.sampled() {
		d.doubts = clock.Doubts(d.cluster, o.now, given)
	}
	return from, nil
}

// ask asks the question, and returns the answer with its exit status.
func (o *options) ask(d *dump, from string, stdin io.Reader) (doc *Document, exit int, err error) {
	if o.all() {
		return o.askAll(d, from)
	}
	return o.askPod(d, from, stdin)
}

// askAll asks what becomes of all waiting pods.
func (o *options) askAll(d *dump, from string) (doc *Document, exit int, err error) {
	var made []outrank.Key
	for _, p := range d.line() {
		if object := d.podOf(p.Key()); object != nil {
			made = append(made, d.makeClaims(object)...)
		}
	}

	// The claims have to be made before the document counts them.
	doc = newDocument(d, "pending", from, o.now)
	if len(made) > 0 {
		doc.Caveats = append(doc.Caveats, caveat{"the dump", "has pods that wait whose claims were not made yet, and kube-scheduler does not look at a pod until they are; they count as made from their templates: " + keys(made, mostNear)})
	}
	doc.Caveats = append(doc.Caveats, d.gated()...)

	if doc.Turns, err = playBoth(d, o.now, o.workers); err != nil {
		return nil, 0, err
	}
	if slices.ContainsFunc(doc.Turns, func(p pair) bool { return p.Release.ended || p.Proposed.ended }) {
		doc.Caveats = append(doc.Caveats, cutShort("some node"))
	}
	for i := range doc.Turns {
		if f := doc.Turns[i].Release.failed; f != nil && f.chance() {
			doc.Caveats = append(doc.Caveats, mayFail(f))
			break
		}
	}
	return doc, exitOfAll(doc.Turns), nil
}

// askPod asks who has to leave for the pod in question.
func (o *options) askPod(d *dump, from string, stdin io.Reader) (doc *Document, exit int, err error) {
	s, err := o.subject(d, stdin)
	if err != nil {
		return nil, 0, err
	}
	var made []outrank.Key
	if p := d.podOf(s.pod.Key()); p != nil {
		made = d.makeClaims(p)
	}

	doc = newDocument(d, "pod", from, o.now)
	if o.whyNot != "" {
		// --why-not asks the same question, and in addition about the devices of that node.
		doc.Question, doc.Why = "whyNot", o.whyNot
		if !slices.ContainsFunc(d.cluster.Nodes, func(n *outrank.Node) bool { return n.Name == o.whyNot }) {
			return nil, 0, fmt.Errorf("--why-not %s: there is no such node in the dump", o.whyNot)
		}
	}

	doc.Pod = d.asked(s)
	doc.Warnings = append(doc.Warnings, warnings(s.warnings)...)
	doc.Caveats = append(doc.Caveats, d.aboutPod(s, made)...)

	doc.Both, err = decideBoth(d, question{asking: asking{exact: o.exact}, pod: s.pod, now: o.now, workers: o.workers, node: o.whyNot, list: o.list})
	if err != nil {
		return nil, 0, err
	}
	if names := doc.Both.ended(); len(names) > 0 {
		doc.Caveats = append(doc.Caveats, cutShort("node "+some(names, mostNear)))
	}
	if f := doc.Both.Release.Failed; f != nil && f.chance() {
		doc.Caveats = append(doc.Caveats, mayFail(f))
	}
	return doc, exitOf(doc.Both.Release.Outcome), nil
}

// gated returns a caveat about waiting pods that take no turn.
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

// subject finds the pod in question: the pod of a manifest, a pending pod, or the pod of the sample.
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

// exitOf returns the exit status of an answer about one pod.
func exitOf(outcome preemption.Outcome) int {
	switch outcome {
	case preemption.Fits:
		return exitFits
	case preemption.Preempts:
		return exitEvicts
	}
	return exitStays
}

// exitOfAll returns the exit status of an answer about all waiting pods: the worst of their turns.
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
	// last is the time at which the current step began, and text has the steps so far.
	last time.Time
	text string
}

// lap ends a step and begins the next one.
func (s *stopwatch) lap(step string) {
	if s.text != "" {
		s.text += ", "
	}
	s.text += fmt.Sprintf("%s took %.3f s", step, time.Since(s.last).Seconds())
	s.last = time.Now()
}
