package main

import (
	"errors"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/priority"
)

// resolve sets the pod's priority from the classes of the cluster, as the API server does at creation.
func (q *asking) resolve(c *outrank.Cluster) error {
	table, err := priority.NewTable(c.Classes)
	if err != nil {
		return console.Unusable("the priority classes of the dump", err)
	}
	// A pod with a recorded priority knows more than a dump without classes.
	if _, known := table.Lookup(q.pod.PriorityClassName); len(c.Classes) == 0 && q.pod.Priority != nil && !known {
		q.source = SourceNumber
		return nil
	}

	r, err := table.Resolve(q.pod)
	switch {
	case errors.Is(err, priority.ErrUnknownClass):
		return unknownClass(q.pod, table, len(c.Classes))
	case err != nil:
		return rejected(q.pod, err)
	}

	q.source = sourceOf(q.pod, r)
	pod := r.Apply(*q.pod)
	q.pod = &pod
	return nil
}

// sourceOf says which class gave a resolved priority.
func sourceOf(pod *outrank.Pod, r priority.Resolution) PrioritySource {
	switch {
	case pod.PriorityClassName != "":
		return SourceClass
	case r.Class != "":
		return SourceDefaultClass
	}
	return SourceNoClass
}

// rejected returns the error about a pod that the API server would reject, because its fields contradict its
// class.
func rejected(pod *outrank.Pod, err error) error {
	return console.Refused(fmt.Sprintf("pod %s would be rejected: what it carries is not what its priority class gives; "+
		"leave the fields out, or name another class", pod.Key()), err)
}

// unknownClass returns the error about a pod whose class the dump does not hold; inDump is the number of
// classes that it holds. The message offers classes with similar names, and then up to 20 of all.
func unknownClass(pod *outrank.Pod, table *priority.Table, inDump int) error {
	var names []string
	values := map[string]string{}
	for _, class := range table.Classes() {
		names = append(names, class.Name)
		values[class.Name] = fmt.Sprintf("%s (%d)", class.Name, class.Value)
	}

	// Each class is told with its value.
	with := func(names []string, most int) string {
		shown := names[:min(len(names), most)]
		text := make([]string, len(shown))
		for i, name := range shown {
			text[i] = values[name]
		}
		return some(text, most, len(names))
	}

	text := fmt.Sprintf("pod %s: there is no priority class %s", pod.Key(), pod.PriorityClassName)
	if near := nearNames(names, pod.PriorityClassName); len(near) > 0 {
		text += "; near it: " + with(near, mostNear)
	}
	text += "; known: " + with(names, 20)
	if inDump == 0 {
		text += "; the dump holds no classes: add priorityclasses to kubectl get, or use --priority"
	}
	return errors.New(text)
}
