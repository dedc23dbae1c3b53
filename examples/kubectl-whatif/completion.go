package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
)

// completer is the name of the program that kubectl runs to complete the line of its
// plugin whatif. A link of that name to this program is enough.
const completer = "kubectl_complete-whatif"

// completionArgs are the arguments of the program. Called as completer it is asked for completions.
func completionArgs(name string, args []string) []string {
	if strings.TrimSuffix(filepath.Base(name), ".exe") == completer {
		return append([]string{cobra.ShellCompRequestCmd}, args...)
	}
	return args
}

// mostCompleted bounds the bytes of the dumps that are read to complete a name: nobody waits
// longer for that.
const mostCompleted = 64 << 20

// completing teaches the shell the values of flags: those of a fixed list, and names in the dump.
func completing(root *cobra.Command, o *options) {
	fixed := map[string][]string{"output": formats, "color": {console.Auto, console.Always, console.Never}, "release": releaseNames()}
	for name, values := range fixed {
		must(root.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
	}
	must(root.RegisterFlagCompletionFunc("sample", cobra.FixedCompletions(completedSamples(), cobra.ShellCompDirectiveNoFileComp)))

	// The last of several names is completed, or a name up to its value, so that the line goes on behind it.
	for name, names := range map[string]func(*outrank.Cluster) []string{
		"pending": pendingNames, "class": classNames, "namespace": namespaceNames, "claim": o.claimNames,
		"why-not": nodeNamesOf, "on-node": nodeNamesOf, "why-preempted": podNames, "without": nodeNamesOf, "set-class": classesToSet,
	} {
		must(root.RegisterFlagCompletionFunc(name, func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
			c := o.completedFrom()
			switch {
			case c == nil:
				return nil, cobra.ShellCompDirectiveNoFileComp
			case name == "without":
				return nextOfList(names(c), begun), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
			case name == "set-class":
				return beginning(names(c), begun), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
			}
			return beginning(names(c), begun), cobra.ShellCompDirectiveNoFileComp
		}))
	}

	// Whatever else these flags take, it is no file, which a shell would offer.
	for _, name := range []string{"cpu", "memory", "request", "priority", "name", "labels", "node-selector", "toleration", "host-port",
		"now", "list", "workers", "replicas", "replacements", "context", "emptiable"} {
		must(root.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions))
	}
}

// completedFrom reads the cluster that the line names so far. It is nil if that takes too long or
// cannot be done. kubectl is not asked.
func (o *options) completedFrom() *outrank.Cluster {
	// A shell that waits for kubectl would seem to hang, and standard input is the terminal.
	if o.live || o.context != "" || o.kubeconfig != "" || slices.Contains(o.clusters, input.Stdin) {
		return nil
	}

	// Cobra reads the line twice, so that each file is named twice.
	slices.Sort(o.clusters)
	o.clusters = slices.Compact(o.clusters)
	files, err := input.Expand(o.clusters, o.recursive)
	if err != nil {
		return nil
	}

	size := int64(0)
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			size += info.Size()
		}
	}
	if size > mostCompleted {
		return nil
	}

	// Nobody reads warnings while typing.
	c, err := o.readCluster(strings.NewReader(""), io.Discard)
	if err != nil {
		return nil
	}
	return c.Cluster
}

// beginning are the names that begin with what was typed, sorted, each once.
func beginning(names []string, begun string) []string {
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, begun) })
	slices.Sort(names)
	return slices.Compact(names)
}

// nextOfList completes the last name of a list with commas by names that are not in the list yet.
func nextOfList(names []string, begun string) []string {
	cut := strings.LastIndexByte(begun, ',') + 1
	list := strings.Split(begun[:cut], ",")
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(list, name) })

	out := beginning(names, begun[cut:])
	for i := range out {
		out[i] = begun[:cut] + out[i]
	}
	return out
}

// classesToSet are the classes, each with the "=" behind which its new value goes.
func classesToSet(c *outrank.Cluster) []string {
	names := classNames(c)
	for i := range names {
		names[i] += "="
	}
	return names
}

// releaseNames are the values of --release.
func releaseNames() []string {
	var out []string
	for _, r := range []outrank.Release{outrank.V1_37, outrank.V1_36} {
		out = append(out, r.String())
	}
	return out
}

// pendingNames are the values of --pending.
func pendingNames(c *outrank.Cluster) []string {
	out := []string{everyPending}
	for _, p := range c.Pods {
		if p.NodeName == "" {
			out = append(out, string(p.Key()))
		}
	}
	return out
}

// classNames are the priority classes.
func classNames(c *outrank.Cluster) (out []string) {
	for _, class := range c.Classes {
		out = append(out, class.Name)
	}
	return out
}

// namespaceNames are the namespaces that the dump holds or its pods are in.
func namespaceNames(c *outrank.Cluster) (out []string) {
	for _, ns := range c.Namespaces {
		out = append(out, ns.Name)
	}
	for _, p := range c.Pods {
		out = append(out, p.NamespaceName())
	}
	return out
}

// nodeNamesOf are the nodes.
func nodeNamesOf(c *outrank.Cluster) (out []string) {
	for _, n := range c.Nodes {
		out = append(out, n.Name)
	}
	return out
}

// claimNames are the claims of the pod's namespace.
func (o *options) claimNames(c *outrank.Cluster) (out []string) {
	for _, vc := range c.Claims {
		if vc.Key() == outrank.NewKey(o.pod.namespace, vc.Name) {
			out = append(out, vc.Name)
		}
	}
	return out
}

// must panics on an error that only a mistake in this program can cause.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
