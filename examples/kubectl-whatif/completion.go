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

// completionArgs returns the arguments of the program. If it is called as completer, they ask cobra for
// completions.
func completionArgs(name string, args []string) []string {
	if strings.TrimSuffix(filepath.Base(name), ".exe") == completer {
		return append([]string{cobra.ShellCompRequestCmd}, args...)
	}
	return args
}

// mostCompleted bounds the bytes of the dumps that are read to complete a name: nobody waits
// longer for that.
const mostCompleted = 64 << 20

// completing registers completions for the values of flags: fixed lists, and names from the dump.
func completing(root *cobra.Command, o *options) {
	fixed := map[string][]string{"output": formats, "color": {console.Auto, console.Always, console.Never}, "release": releaseNames()}
	for name, values := range fixed {
		must(root.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
	}
	must(root.RegisterFlagCompletionFunc("sample", cobra.FixedCompletions(completedSamples(), cobra.ShellCompDirectiveNoFileComp)))

	// Of a list the last name is completed. A name that takes a value is completed up to its "=", so that
	// typing goes on there.
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

	// The other flags take no files, which a shell would offer by default.
	for _, name := range []string{"cpu", "memory", "request", "priority", "name", "labels", "node-selector", "toleration", "host-port",
		"now", "list", "workers", "replicas", "replacements", "context", "emptiable"} {
		must(root.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions))
	}
}

// completedFrom reads the cluster that the unfinished line names. It is nil if reading takes too long or fails.
// It does not ask kubectl.
func (o *options) completedFrom() *outrank.Cluster {
	// A shell that waits for kubectl would seem to hang, and standard input is the terminal.
	if o.live || o.context != "" || o.kubeconfig != "" || slices.Contains(o.clusters, input.Stdin) {
		return nil
	}

	// Cobra reads the line twice, so each file is listed twice.
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

	// Warnings would garble the line that is being typed.
	c, err := o.readCluster(strings.NewReader(""), io.Discard)
	if err != nil {
		return nil
	}
	return c.Cluster
}

// beginning returns the names that begin with begun, sorted, each once.
func beginning(names []string, begun string) []string {
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, begun) })
	slices.Sort(names)
	return slices.Compact(names)
}

// nextOfList completes the last name of a comma-separated list. It offers only names that the list lacks.
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

// classesToSet lists the priority classes with an appended "=", after which the new value is typed.
func classesToSet(c *outrank.Cluster) []string {
	names := classNames(c)
	for i := range names {
		names[i] += "="
	}
	return names
}

// releaseNames lists the values of --release.
func releaseNames() []string {
	var out []string
	for _, r := range []outrank.Release{outrank.V1_37, outrank.V1_36} {
		out = append(out, r.String())
	}
	return out
}

// pendingNames lists the values of --pending.
func pendingNames(c *outrank.Cluster) []string {
	out := []string{everyPending}
	for _, p := range c.Pods {
		if p.NodeName == "" {
			out = append(out, string(p.Key()))
		}
	}
	return out
}

// classNames lists the priority classes of the cluster.
func classNames(c *outrank.Cluster) (out []string) {
	for _, class := range c.Classes {
		out = append(out, class.Name)
	}
	return out
}

// namespaceNames lists the namespaces that the dump holds or in which it has pods.
func namespaceNames(c *outrank.Cluster) (out []string) {
	for _, ns := range c.Namespaces {
		out = append(out, ns.Name)
	}
	for _, p := range c.Pods {
		out = append(out, p.NamespaceName())
	}
	return out
}

// nodeNamesOf lists the nodes of the cluster.
func nodeNamesOf(c *outrank.Cluster) (out []string) {
	for _, n := range c.Nodes {
		out = append(out, n.Name)
	}
	return out
}

// claimNames lists the claims in the namespace of --namespace.
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
