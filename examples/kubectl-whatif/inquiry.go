package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
)

// inquiry is which question is asked.
type inquiry string

// The questions. The first is about one pod, and is what is asked where nothing else is.
const (
	askPod      inquiry = "pod"
	askAll      inquiry = "pending"
	askGroup    inquiry = "group" // of the pod, in place of the first
	askReplicas inquiry = "replicas"
	askWhyNot   inquiry = "whyNot"
	askOnNode   inquiry = "onNode"
	askClasses  inquiry = "classes"
	askWithout  inquiry = "without"
)

// everyPending is the value of --pending for all pods that wait.
const everyPending = "all"

// inquiries are the flags of each question but the first; the order is that of messages.
var inquiries = []struct {
	of    inquiry
	flags []string
}{
	{askReplicas, []string{"replicas"}},
	{askWhyNot, []string{"why-not"}},
	{askOnNode, []string{"on-node"}},
	{askClasses, []string{"set-class", "priorityclass"}},
	{askWithout, []string{"without"}},
}

// asked is which question the flags ask.
func (o *options) asked() inquiry {
	if o.pending == everyPending {
		return askAll
	}
	for _, a := range inquiries {
		if slices.ContainsFunc(a.flags, func(name string) bool { return o.set[name] }) {
			return a.of
		}
	}
	return askPod
}

// ofPod reports whether a question is about a pod.
func (a inquiry) ofPod() bool { return a != askAll && a != askClasses && a != askWithout }

// checkQuestion refuses two questions at once, and flags that play no part in the one.
func (o *options) checkQuestion() error {
	var asked []string
	if o.pending == everyPending {
		asked = append(asked, "--pending "+everyPending)
	}
	for _, a := range inquiries {
		if i := slices.IndexFunc(a.flags, func(name string) bool { return o.set[name] }); i >= 0 {
			asked = append(asked, "--"+a.flags[i])
		}
	}
	if len(asked) > 1 {
		return fmt.Errorf("%s are different questions; ask them one after the other", strings.Join(asked, " and "))
	}
	a := o.asked()
	if ways := o.waysToName(); !a.ofPod() && len(ways) > 0 && ways[0] != asked[0] {
		return fmt.Errorf("%s asks about the whole cluster, and %s names a pod; leave one of them out", asked[0], ways[0])
	}
	if !a.drawn() && o.format == "html" {
		return fmt.Errorf("-o html draws what becomes of the cluster, and %s asks why something does not; take text, wide, json or yaml", asked[0])
	}
	return o.checkAmounts(a)
}

// checkAmounts refuses numbers and additions that make no sense.
func (o *options) checkAmounts(a inquiry) error {
	switch {
	case o.set["replicas"] && (o.replicas < 1 || o.replicas > question.MostReplicas):
		return fmt.Errorf("--replicas %d: a number between 1 and %d is wanted", o.replicas, question.MostReplicas)
	case o.set["replacements"] && (o.replacements < 0 || o.replacements > question.MostDepth):
		return fmt.Errorf("--replacements %d: a depth between 0 and %d is wanted", o.replacements, question.MostDepth)
	case o.set["replacements"] && a != askPod && a != askOnNode:
		return errors.New("--replacements follows the victims of one pod; this question has none, or tells what becomes of them anyway")
	case o.exact && a != askPod:
		return errors.New("--exact compares the answer about one pod with the best one; this question asks something else")
	case o.exact && o.format == "html":
		return errors.New("--exact is told in text, json and yaml; the page of -o html draws one answer")
	case o.static && a != askOnNode:
		return errors.New("--static says how --on-node takes the pod; without that it means nothing")
	case o.set["why-not"] && o.whyNot == "":
		return errors.New("--why-not is empty; name a node")
	case o.set["on-node"] && o.onNode == "":
		return errors.New("--on-node is empty; name a node")
	case o.set["without"] && (len(o.without) == 0 || slices.Contains(o.without, "")):
		return errors.New("--without is empty; name nodes")
	}
	for i, node := range o.without {
		if slices.Contains(o.without[:i], node) {
			return fmt.Errorf("--without %s: the node is named twice", node)
		}
	}
	return nil
}

// classValue is what --set-class says.
type classValue struct {
	name  string
	value int32
}

func (o *options) setClass(text string) error {
	const form = "write NAME=VALUE, like production=2000"
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return errors.New(form)
	}
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return fmt.Errorf("%q is no value of a class, which is a whole number of 32 bits; %s", value, form)
	}
	if slices.ContainsFunc(o.setClasses, func(c classValue) bool { return c.name == name }) {
		return fmt.Errorf("class %s is given twice", name)
	}
	o.setClasses = append(o.setClasses, classValue{name, int32(n)})
	return nil
}
