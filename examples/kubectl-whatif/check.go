package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
)

// mostWorkers is the most goroutines that share the work of an answer.
const mostWorkers = 1024

// check refuses values out of range and flags that contradict each other.
func (o *options) check() error {
	if !slices.Contains(formats, o.answer.format) {
		return fmt.Errorf("--output %s: the formats are %s", o.answer.format, formatNames())
	}
	if !slices.Contains([]string{console.Auto, console.Always, console.Never}, o.answer.color) {
		return fmt.Errorf("--color %s: %w", o.answer.color, console.ErrColor)
	}
	if o.answer.list < 0 {
		return fmt.Errorf("--list %d: a number of entries cannot be negative", o.answer.list)
	}
	if o.answer.workers < 0 || o.answer.workers > mostWorkers {
		return fmt.Errorf("--workers: %d is not between 0 and %d", o.answer.workers, mostWorkers)
	}

	// A flag that is set must not be empty.
	for _, f := range []struct {
		name   string
		values []string
	}{{"pending", []string{o.pending}}, {"name", []string{o.pod.name}}, {"namespace", []string{o.pod.namespace}}, {"context", []string{o.context}}, {"kubeconfig", []string{o.kubeconfig}},
		{"cluster", o.clusters}, {"filename", o.manifests()}, {"diff", o.about.diff},
		{"without", o.valuesOf(changeWithout)}, {"add-node", o.valuesOf(changeAddNode)}, {"priorityclass", o.valuesOf(changeClasses)}, {"delete", o.valuesOf(changeDelete)}, {"events", o.about.events}} {
		// A list may be empty, or hold an empty name, as "--cluster a.json," does.
		if o.set[f.name] && (len(f.values) == 0 || slices.Contains(f.values, "")) {
			return fmt.Errorf("--%s is empty; give it a value or leave it out", f.name)
		}
	}

	if err := o.checkNames(); err != nil {
		return err
	}
	if err := o.contradictions(); err != nil {
		return err
	}
	return o.checkQuestion()
}

// waysToName lists the ways in which the flags given name the pod in question: --pending, and the first
// of those that describe a pod. More than one is a contradiction.
func (o *options) waysToName() []string {
	var ways []string
	if o.set["pending"] {
		ways = append(ways, "--pending")
	}

	// Beside manifests --name chooses one of their objects (see described).
	if i := slices.IndexFunc(describing, func(name string) bool { return o.set[name] && (name != "name" || !o.set["filename"]) }); i >= 0 {
		ways = append(ways, "--"+describing[i])
	}

	if o.pending == everyPending {
		ways[0] += " " + everyPending
	}
	return ways
}

// contradictions refuses flags that cannot both hold: they name two pods or two clusters, give the same
// field twice, or both read standard input.
func (o *options) contradictions() error {
	// Two ways of naming a pod.
	ways := o.waysToName()
	if len(ways) > 1 {
		return fmt.Errorf("%s name different pods; use one of --pending and the flags that describe a pod", strings.Join(ways, " and "))
	}

	// A pod described without any amount is probably meant as one of the manifests.
	amounts := []string{"cpu", "memory", "request"}
	if o.set["filename"] && o.described() && !slices.ContainsFunc(amounts, func(name string) bool { return o.set[name] }) {
		return fmt.Errorf("%s describes a pod of its own, and --filename brings others: say what it asks for with --cpu, --memory or --request, "+
			"or write it into the manifest", ways[len(ways)-1])
	}

	// Two ways of giving the same field.
	if o.set["class"] && o.set["priority"] {
		return errors.New("--class and --priority both say how important the pod is; use one of them")
	}

	// Two clusters.
	for _, name := range []string{"live", "context", "kubeconfig"} {
		if o.set[name] && o.set["cluster"] {
			return fmt.Errorf("--%s asks kubectl for the cluster, and --cluster names a file; use one of them", name)
		}
	}

	// Standard input can be read only once.
	if readers := o.readers(); len(readers) > 1 {
		return fmt.Errorf("%s both read standard input; give one of them a file", strings.Join(readers[:2], " and "))
	}
	return nil
}

// readers lists the flags that read standard input, each with its value.
func (o *options) readers() (out []string) {
	for _, f := range []struct {
		flag, stdin string
		values      []string
	}{
		{"cluster", input.Stdin, o.clusters}, {"diff", input.Stdin, o.about.diff}, {changeFile, input.Stdin, o.manifests()}, {changeAddNode, input.Stdin, o.valuesOf(changeAddNode)},
		{changeClasses, input.Stdin, o.valuesOf(changeClasses)}, {changeDelete, "@" + input.Stdin, o.valuesOf(changeDelete)},
		{"events", input.Stdin, o.about.events},
	} {
		if slices.ContainsFunc(f.values, func(value string) bool { name, _, _ := strings.Cut(value, "="); return name == f.stdin }) {
			out = append(out, "--"+f.flag+" "+f.stdin)
		}
	}
	return out
}

// checkQuestion refuses two questions at once, and flags that have no part in the question.
func (o *options) checkQuestion() error {
	var asked []string
	if o.pending == everyPending {
		asked = append(asked, "--pending "+everyPending)
	}
	for _, a := range inquiries {
		if a.of == askReport && o.set["diff"] {
			// --diff asks what changed in the report, and may stand beside --report.
			continue
		}
		if i := slices.IndexFunc(a.flags, o.on); i >= 0 {
			asked = append(asked, "--"+a.flags[i])
		}
	}

	if len(asked) > 1 {
		return fmt.Errorf("%s are different questions, each with an answer of its own; ask them one after the other, each with the same changes", strings.Join(asked, " and "))
	}

	// Whether the manifests make a single pod is not known yet. It can only turn a question about the changes
	// into one about a pod.
	a := o.asked(false)
	if ways := o.waysToName(); a == askBackward && len(ways) > 0 {
		return fmt.Errorf("--why-preempted names the pod in question, and %s another; leave one of them out", ways[0])
	} else if !a.ofPod() && len(ways) > 0 && ways[0] != asked[0] {
		return fmt.Errorf("%s asks about the whole cluster, and %s names a pod; leave one of them out", asked[0], ways[0])
	}

	if !a.drawn() && o.answer.format == "html" {
		return fmt.Errorf("-o html draws what becomes of the cluster, which is no answer to %s; take text, wide, json or yaml", asked[0])
	}
	return o.checkAmounts(a)
}

// checkAmounts refuses numbers out of range, empty values, and flags that add nothing to the answer of this
// question.
func (o *options) checkAmounts(a inquiry) error {
	switch {
	// Each further copy and each further level of --replacements costs at least one decision, hence the bounds.
	case o.set["replicas"] && (o.about.replicas < 1 || o.about.replicas > question.MostReplicas):
		return fmt.Errorf("--replicas %d: a number between 1 and %d is wanted", o.about.replicas, question.MostReplicas)
	case o.set["replacements"] && (o.about.replacements < 0 || o.about.replacements > question.MostDepth):
		return fmt.Errorf("--replacements %d: a depth between 0 and %d is wanted", o.about.replacements, question.MostDepth)

	// These flags extend the answer about one pod, and mean nothing in other questions.
	case o.set["replacements"] && a != askPod && a != askOnNode:
		return errors.New("--replacements follows the victims of one pod; this question has none, or tells what becomes of them anyway")
	case o.about.exact && a != askPod:
		return errors.New("--exact compares the answer about one pod with the best one; this question asks something else")
	case o.about.trace && a != askPod:
		return errors.New("--trace is about the answer for one pod; this question asks something else")
	case o.about.exact && o.answer.format == "html":
		return errors.New("--exact is told in text, json and yaml; the page of -o html draws one answer")
	case o.about.static && a != askOnNode:
		return errors.New("--static says how --on-node takes the pod; without that it means nothing")

	// An empty value counts as given. Otherwise an unset variable of a script would silently ask another
	// question.
	case o.set["why-not"] && o.about.whyNot == "":
		return errors.New("--why-not is empty; name a node")
	case o.set["why-preempted"] && o.about.whyPreempted == "":
		return errors.New("--why-preempted is empty; name a pod")
	case o.set["events"] && a != askBackward:
		return errors.New("--events say who pushed a pod out; name the pod with --why-preempted")
	case o.set["more-nodes"] && o.about.moreNodes == "":
		return errors.New("--more-nodes is empty; name a node")
	case o.set["emptiable"] && !wellFormed(o.about.emptiable):
		return fmt.Errorf("--emptiable %q: write LABEL=VALUE, or \"all\" for all nodes", o.about.emptiable)
	case o.set["on-node"] && o.about.onNode == "":
		return errors.New("--on-node is empty; name a node")

	// These are about manifests.
	case o.about.atMaximum && !o.set["filename"]:
		return errors.New("--at-maximum is about the autoscalers of manifests; give some with --filename")
	case o.about.one && !o.fromManifest(a):
		return errors.New("--one chooses one of the pods of a manifest; here the question is about another pod, or about none")
	}
	return nil
}

// everyNode is the value of --emptiable for all nodes.
const everyNode = "all"

// wellFormed reports whether text names nodes in a form that --emptiable takes.
func wellFormed(text string) bool {
	key, _, labelled := strings.Cut(text, "=")
	return text == everyNode || labelled && key != ""
}
