package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/internal/stamp"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/clock"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
)

// options are the flags.
type options struct {
	// clusters are the files and folders with the dump, and manifests the files of --filename.
	clusters, manifests        []string
	recursive, live            bool
	context, kubeconfig        string
	pending, namespace, whyNot string
	exact, exitStatus, timings bool
	format, color              string
	list, workers              int
	release                    outrank.Release
	now                        time.Time
	// set has, for the flags for which that matters, whether they were given.
	set map[string]bool
}

// elsewhere are the flags of kubectl whatif for questions that cannot be asked here.
var elsewhere = []string{"replicas", "replacements", "on-node", "static", "across", "more-nodes", "least-priority", "largest", "emptiable", "why-preempted", "events", "report", "diff",
	"without", "add-node", "set-class", "priorityclass", "recreate", "set-budget", "resize", "delete", "trace", "sample", "scheduler-config", "admission-config", "cpu", "memory", "request", "class", "priority"}

// command returns the root command. It checks the options and then calls do with them.
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

	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return noFlag(err) })
	o.addTo(c)
	c.Flags().BoolVar(&version, "version", false, "the version")

	c.AddCommand(&cobra.Command{Use: "clusterrole", Short: "Print the ClusterRole that allows what --live reads, for kubectl apply -f -", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), clusterRole)
			return err
		}})
	return c
}

// noFlag returns the error about an unknown flag. If kubectl whatif has that flag, the error says so.
func noFlag(err error) error {
	for _, name := range elsewhere {
		if strings.HasSuffix(err.Error(), "--"+name) {
			return fmt.Errorf("--%s is a question for kubectl whatif, which does not look at devices; run %s -h for the flags here", name, displayName)
		}
	}
	return fmt.Errorf("%w; run %s -h for the flags", err, displayName)
}

// addTo adds the flags in the order in which the help lists them.
func (o *options) addTo(c *cobra.Command) {
	f := c.Flags()
	f.SortFlags = false

	// The cluster.
	f.BoolVar(&o.live, "live", false, "ask kubectl for the cluster of its current context")
	f.StringVar(&o.context, "context", "", "the same for the kubectl context of a `NAME`")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "the same by a kubeconfig `FILE`")
	f.StringSliceVar(&o.clusters, "cluster", nil, "`FILE`s or folders with the dump, JSON or YAML, - for standard input (default: a sample)")
	f.BoolVarP(&o.recursive, "recursive", "R", false, "also the folders below")

	// The question.
	f.StringVar(&o.pending, "pending", "", "a `POD` of the dump that waits, as NAMESPACE/NAME, or \"all\" (default: all of a dump, one of the sample)")
	f.StringSliceVarP(&o.manifests, "filename", "f", nil, "a `FILE` with a pod or something that makes pods, and the claims and templates that belong to it, - for standard input")
	f.StringVarP(&o.namespace, "namespace", "n", o.namespace, "the namespace of what names none, by `NAME`")
	f.StringVar(&o.whyNot, "why-not", "", "everything about the devices of a `NODE` for the pod: how many match, who holds them, whose leaving frees which claim")
	f.BoolVar(&o.exact, "exact", false, "beside each answer the best one by the same ranks, with what proves it")

	// The answer.
	f.StringVarP(&o.format, "output", "o", "text", "the `FORM` of the answer: text, wide, json, yaml or html")
	f.StringVar(&o.color, "color", console.Auto, "`WHEN` to colour: auto, always or never")
	f.IntVar(&o.list, "list", 5, "how many entries the lists of the text have, and how many nodes are looked at for their devices, a `NUMBER`, 0 for all")

	// The defaults depend on the dump, so that the help must not show any.
	f.TextVar(&o.release, "release", outrank.DefaultRelease, "whose rules hold: `RELEASE` v1.36 or v1.37 (default: that of the newest kubelet in the dump)")
	f.Lookup("release").DefValue = ""
	f.Func("now", "a `TIME` at which to ask (default: a second after the latest creation in the dump)", func(text string) (err error) {
		o.now, err = clock.Parse(text)
		return err
	})

	// How it is run.
	f.IntVar(&o.workers, "workers", min(runtime.GOMAXPROCS(0), 64), "a `NUMBER` of goroutines that share the work; the answer does not depend on it")
	f.Lookup("workers").DefValue = "0"
	f.BoolVar(&o.exitStatus, "exit-status", false, "tell what the release does by the exit status: 0 it fits, 3 somebody has to leave, 4 a pod stays pending")
	f.BoolVar(&o.timings, "timings", false, "say on standard error how long each step took")
}

// mostWorkers is the most goroutines that share the work of an answer.
const mostWorkers = 1024

// check refuses values out of range and flags that contradict each other.
func (o *options) check(cmd *cobra.Command) error {
	for _, name := range []string{"live", "context", "kubeconfig", "cluster", "pending", "filename", "why-not", "release", "list", "namespace"} {
		o.set[name] = cmd.Flags().Changed(name)
	}

	// A namespace has a default, and is empty only if it was set so.
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
	if o.workers > mostWorkers {
		return fmt.Errorf("--workers: %d is not between 1 and %d", o.workers, mostWorkers)
	}

	if o.list == 0 {
		o.list = everything
	}
	return nil
}

// asksKubectl reports whether kubectl is asked for the cluster.
func (o *options) asksKubectl() bool { return o.live || o.context != "" || o.kubeconfig != "" }

// sampled reports whether the question is about the sample, which it is if no cluster is named.
func (o *options) sampled() bool { return !o.asksKubectl() && len(o.clusters) == 0 }

// all reports whether the question is about all waiting pods.
func (o *options) all() bool {
	return o.pending == "all" || o.pending == "" && len(o.manifests) == 0 && !o.sampled()
}
