package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// inquiry is the kind of question.
type inquiry string

// The questions. The first is about one pod, and is the default.
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

// asked is the question of the flags.
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
	if slices.ContainsFunc(o.about.setClasses, func(c classValue) bool { return c.name == name }) {
		return fmt.Errorf("class %s is given twice", name)
	}
	o.about.setClasses = append(o.about.setClasses, classValue{name, int32(n)})
	return nil
}

// drawn reports whether there is a page for a question.
func (a inquiry) drawn() bool { return a != askWhyNot }
