package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/clock"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/kueue"
)

// kueueSample is the default dump and kueueSampleJob the default manifest of this command.
var (
	//go:embed sample/kueue.json
	kueueSample []byte
	//go:embed sample/kueue-job.yaml
	kueueSampleJob []byte
)

// KueueDocument is the output of the command kueue with -o json. Fields keep their names and
// meanings, new ones may be added.
type KueueDocument struct {
	// APIVersion is whatif/v1.
	APIVersion string `json:"apiVersion"`
	// Question is kueue.
	Question string `json:"question"`
	// Source names where the cluster was read from. Now is the time of the answer.
	Source string    `json:"source"`
	Now    time.Time `json:"now,omitzero"`
	// Workloads counts the workloads of the dump, Holding those that hold quota.
	Workloads int           `json:"workloads"`
	Holding   int           `json:"holding"`
	Answer    *kueue.Answer `json:"answer"`
	// Caveats are reasons why the answer may not come true.
	Caveats []Warning `json:"caveats"`
}

// kueueOptions are the flags of the command kueue.
type kueueOptions struct {
	clusters, manifests []string
	recursive           bool
	pending, namespace  string
	config              string
	format, color       string
	// now holds the time of --now. It has the type options because that type parses the flag.
	now        options
	exitStatus bool
	list       int
}

// kueueCommand returns the command kueue, which asks Kueue's quotas instead of nodes. With --exit-status it
// sets status to the exit status of the answer.
func kueueCommand(std streams, status *int) *cobra.Command {
	o := &kueueOptions{}
	c := &cobra.Command{
		Use: "kueue", Short: "Would Kueue admit a Workload, Job or Pod in its queue, who would have to leave, and when to ask again",
		Long: "Would Kueue admit a Workload, Job or Pod in its queue as things are, who would have to leave for it and by which rule,\n" +
			"or why not, and when does it make sense to ask again? It looks at quotas alone, as Kueue does, and at no nodes.\n" +
			"The dump is what this prints:\n\n  kubectl get " + kueue.Kinds + " -A -o json > kueue.json",
		Args: cobra.NoArgs, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(*cobra.Command, []string) error {
			exit, err := o.run(std)
			if err == nil && o.exitStatus {
				*status = exit
			}
			return err
		},
	}

	f := c.Flags()
	f.StringSliceVar(&o.clusters, "cluster", nil, "`FILE`s or folders with the dump, - for standard input (default: a sample)")
	f.BoolVarP(&o.recursive, "recursive", "R", false, "also the folders below")
	f.StringSliceVarP(&o.manifests, "filename", "f", nil, "a `FILE` with a Workload, Job or Pod, - for standard input")
	f.StringVar(&o.pending, "pending", "", "a Workload of the dump that waits, as `NAMESPACE/NAME`")
	f.StringVarP(&o.namespace, "namespace", "n", outrank.DefaultNamespace, "the namespace of a manifest that names none, by `NAME`")
	f.StringVar(&o.config, "kueue-config", "", "Kueue's own Configuration, a `FILE` in JSON or YAML: fair sharing, windows of protection, feature gates")
	f.StringVarP(&o.format, "output", "o", "text", "the `FORM` of the answer: text, json or yaml")
	f.StringVar(&o.color, "color", console.Auto, "`WHEN` to colour: auto, always or never")
	f.Func("now", "a `TIME` at which to ask (default: a second after the latest time in the dump)", o.now.setNow)
	f.BoolVar(&o.exitStatus, "exit-status", false, "tell answers apart: 0 it fits, 3 somebody has to leave, 4 it is not admitted")
	f.IntVar(&o.list, "list", 5, "how many entries the lists of the text have, a `NUMBER`, 0 for all")
	return c
}

// run asks the question, and writes the answer in the chosen form.
func (o *kueueOptions) run(std streams) (exit int, err error) {
	if o.format != "text" && o.format != "json" && o.format != "yaml" {
		return 0, fmt.Errorf("--output %s: this answer comes as text, json and yaml", o.format)
	}
	if o.pending != "" && len(o.manifests) > 0 {
		return 0, errors.New("--pending and --filename both name the workload; use one of them")
	}
	if o.list < 0 {
		return 0, fmt.Errorf("--list %d: a number of entries cannot be negative", o.list)
	}

	d, err := o.answer(std.in)
	if err != nil {
		return 0, err
	}
	screen, err := console.ScreenOf(std.out, o.color, os.Getenv)
	if err != nil {
		return 0, fmt.Errorf("--color %s: %w", o.color, err)
	}

	// Everything is written at once, so that an error leaves no half answer.
	var out bytes.Buffer
	page := console.Page{W: &out, Screen: screen}
	switch o.format {
	case "json":
		err = console.JSON(page, d)
	case "yaml":
		err = console.YAML(page, d)
	default:
		d.text(page, o.list)
	}
	if err == nil {
		_, err = out.WriteTo(std.out)
	}
	return d.status(), err
}

// answer reads everything that the question is about and asks it.
func (o *kueueOptions) answer(stdin io.Reader) (*KueueDocument, error) {
	d := &KueueDocument{APIVersion: "whatif/v1", Question: "kueue", Source: "the sample", Now: o.now.now, Caveats: []Warning{}}
	if len(o.clusters) > 0 {
		var names []string
		for _, name := range o.clusters {
			names = append(names, input.Called(name))
		}
		d.Source = strings.Join(names, ", ")
	}

	cluster, err := o.read(stdin)
	if err != nil {
		return nil, err
	}
	if cluster.Empty() {
		return nil, fmt.Errorf("%s: the dump holds no ClusterQueue; fill it with kubectl get %s -A -o json", d.Source, kueue.Kinds)
	}
	d.Workloads, d.Holding = cluster.Workloads()
	// Taking the time from the dump gives the same answer whenever the question is asked.
	if d.Now.IsZero() {
		d.Now = clock.After(cluster.Latest())
	}

	settings, err := o.settings(stdin)
	if err != nil {
		return nil, err
	}
	asked, err := o.asked(cluster, stdin)
	if err != nil {
		return nil, err
	}

	a, caveats, err := kueue.Ask(cluster, settings, asked, d.Now)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Source, err)
	}
	d.Answer = a
	for _, c := range caveats {
		d.Caveats = append(d.Caveats, Warning{Object: c.Object, Text: c.Text})
	}
	return d, nil
}

// read reads the dump, or the sample if no dump is given.
func (o *kueueOptions) read(stdin io.Reader) (*kueue.Cluster, error) {
	if len(o.clusters) == 0 {
		return kueue.Read(bytes.NewReader(kueueSample))
	}
	files, err := input.Expand(o.clusters, o.recursive)
	if err != nil {
		return nil, fmt.Errorf("--cluster: %w", err)
	}

	all := input.Merge(files, func(name string) (io.Reader, func() error, error) {
		r, _, done, err := input.Open(name, stdin)
		return r, done, err
	}).Reader()
	defer all.Close()
	c, err := kueue.Read(all)
	if err != nil {
		return nil, fmt.Errorf("--cluster: %w", err)
	}
	return c, nil
}

// settings reads Kueue's Configuration. Without a file Kueue's defaults hold.
func (o *kueueOptions) settings(stdin io.Reader) (*kueue.Settings, error) {
	if o.config == "" {
		return &kueue.Settings{}, nil
	}
	r, _, done, err := input.Open(o.config, stdin)
	if err != nil {
		return nil, fmt.Errorf("--kueue-config: %w", err)
	}
	defer done()

	s, err := kueue.ReadSettings(r)
	if err != nil {
		return nil, fmt.Errorf("--kueue-config %s: %w", o.config, err)
	}
	return s, nil
}

// asked finds the workload in question: the one that --pending names, the only one of the manifests, or, if
// nothing is given, the one of the sample.
func (o *kueueOptions) asked(c *kueue.Cluster, stdin io.Reader) (*kueue.Asked, error) {
	if o.pending != "" {
		// As in kubectl, a name without a namespace belongs to the namespace of --namespace.
		namespace, name, ok := strings.Cut(o.pending, "/")
		if !ok {
			namespace, name = o.namespace, o.pending
		}
		return c.Pending(outrank.NewKey(namespace, name))
	}

	files := o.manifests
	if len(files) == 0 {
		if len(o.clusters) > 0 {
			return nil, errors.New("which workload? Give a Workload, Job or Pod with --filename, or name one that waits with --pending")
		}
		// The job of the sample is read in place of standard input.
		files, stdin = []string{input.Stdin}, bytes.NewReader(kueueSampleJob)
	}

	var found []*kueue.Asked
	for _, file := range files {
		err := eachObject("--filename", file, stdin, func(object input.Object) error {
			a, err := kueue.FromManifest(object, o.namespace)
			found = append(found, a)
			return err
		})
		if err != nil {
			return nil, err
		}
	}

	if len(found) != 1 {
		return nil, fmt.Errorf("--filename: %d objects where the workload in question is wanted, alone", len(found))
	}
	return found[0], nil
}

// status returns the exit status of the answer.
func (d *KueueDocument) status() int {
	switch d.Answer.Outcome {
	case kueue.Fits:
		return exitFits
	case kueue.Preempts:
		return exitEvicts
	}
	return exitStays
}
