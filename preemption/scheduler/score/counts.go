package score

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// trackers has one tracker for each release, which all scorers share.
var trackers sync.Map

// trackerOf returns the tracker of the counts for a release.
func trackerOf(of outrank.Release) *preemption.Tracker {
	known, _ := trackers.LoadOrStore(of, &preemption.Tracker{New: func() preemption.ClusterState {
		return &counts{release: of, loads: map[string]load{}, classes: map[string]*class{}, tables: &tables{}}
	}})
	return known.(*preemption.Tracker)
}

// counts summarizes the pods on nodes, as far as scores depend on them. A snapshot keeps it up to date.
type counts struct {
	release outrank.Release
	// loads has the load of each node, by name. A node without load is not in it.
	loads map[string]load
	// classes has the classes of all pods on nodes, by the key of appendClass.
	classes map[string]*class
	// tables is shared by clones.
	tables *tables
}

// load is the cpu and memory that the pods of a node take, in millicores and bytes. As in the
// reference the sums may wrap around.
type load struct {
	cpu, memory int64
	// filledCPU and filledMemory are the same sums with a default for each container that requests
	// none of the resource (rule 27.3.3).
	filledCPU, filledMemory int64
}

// class is a set of pods that no score tells apart: they are in one namespace and have the same labels and
// terms, and all or none of them terminate.
type class struct {
	// like is one of the pods.
	like *outrank.Pod
	// preferred and required are the pods' affinity terms.
	preferred, required []podTerm
	// on has the number of these pods on each node, by name. A node without any is not in it.
	on map[string]int64
}

// Add follows a pod that comes to a node.
func (c *counts) Add(pod *outrank.Pod, node *outrank.Node) { c.change(pod, node.Name, 1) }

// Remove follows a pod that leaves a node.
func (c *counts) Remove(pod *outrank.Pod, node *outrank.Node) { c.change(pod, node.Name, -1) }

// change counts a pod in or out: by is 1 or -1.
func (c *counts) change(pod *outrank.Pod, node string, by int64) {
	// The pod's requests are added to the load of the node, or taken off.
	l := c.loads[node]
	l.cpu += by * resource.Amount(resource.CPU, pod.RunningRequestOf(c.release, resource.CPU))
	l.memory += by * resource.Amount(resource.Memory, pod.RunningRequestOf(c.release, resource.Memory))
	l.filledCPU += by * c.onNode(pod, resource.CPU)
	l.filledMemory += by * c.onNode(pod, resource.Memory)
	if l == (load{}) {
		delete(c.loads, node)
	} else {
		c.loads[node] = l
	}

	// The pod counts in its class. A class without pods is forgotten.
	var space [classSpace]byte
	key := appendClass(space[:0], pod)
	k := c.classes[string(key)]
	if k == nil {
		k = &class{pod, termsOf(pod), requiredOf(pod), map[string]int64{}}
		c.classes[string(key)] = k
	}
	if pods := k.on[node] + by; pods != 0 {
		k.on[node] = pods
		return
	}
	delete(k.on, node)
	if len(k.on) == 0 {
		delete(c.classes, string(key))
	}
}

// Clone returns an independent copy.
func (c *counts) Clone() preemption.ClusterState {
	d := &counts{release: c.release, tables: c.tables, loads: maps.Clone(c.loads), classes: make(map[string]*class, len(c.classes))}
	for key, k := range c.classes {
		d.classes[key] = &class{k.like, k.preferred, k.required, maps.Clone(k.on)}
	}
	return d
}

// onNode returns the amount of cpu or memory of a pod on a node, with defaults (rule 27.3.3;
// CalculateResource). Defaults do not matter for a pod whose requests as a whole name the resource.
func (c *counts) onNode(pod *outrank.Pod, name resource.Name) int64 {
	if asksAsWhole(pod) {
		if _, named := pod.RunningRequests(c.release)[name]; named {
			return resource.Amount(name, pod.RunningRequestOf(c.release, name))
		}
	}
	return filled(pod, c.release, name)
}

// filled returns the amount of cpu or memory of a pod, with defaults for containers that name none.
func filled(pod *outrank.Pod, r outrank.Release, name resource.Name) int64 {
	missing := missingMemory
	if name == resource.CPU {
		missing = missingCPU
	}
	return resource.Amount(name, pod.FilledRequestOf(r, name, missing))
}

// missingCPU and missingMemory are the default requests of a container that does not name the resource.
var missingCPU, missingMemory = resource.MustParse("100m"), resource.MustParse("200Mi")

// asksAsWhole reports whether the pod has pod-level requests of a resource that can be requested at that
// level.
func asksAsWhole(pod *outrank.Pod) bool {
	if pod.Resources == nil {
		return false
	}
	for name := range pod.Resources.Requests {
		if name == resource.CPU || name == resource.Memory || strings.HasPrefix(string(name), resource.HugePagesPrefix) {
			return true
		}
	}
	return false
}

// classSpace is the size in bytes of the buffers for the keys of classes. Most keys fit.
const classSpace = 128

// appendClass appends a key that is equal for pods of one class, and for no others.
func appendClass(key []byte, p *outrank.Pod) []byte {
	key = appendText(key, p.NamespaceName())
	key = strconv.AppendBool(key, p.Terminating())

	var space [8]string
	names := space[:0]
	for name := range p.Labels {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		key = appendText(appendText(key, name), p.Labels[name])
	}

	// These are the terms that interPod reads: required affinity, and both kinds of preferences.
	if len(p.Affinity.PodAffinity) == 0 && p.Preferences == nil {
		return key
	}
	terms := [...]any{p.Affinity.PodAffinity, nil, nil}
	if w := p.Preferences; w != nil {
		terms[1], terms[2] = w.PodAffinity, w.PodAntiAffinity
	}
	// Marshal cannot fail for these plain types, and it sorts maps, so equal terms give equal text.
	written, _ := json.Marshal(terms)
	return appendText(key, string(written))
}

// appendText appends a text after its length, so that different lists of texts give different keys.
func appendText(key []byte, s string) []byte {
	key = strconv.AppendInt(key, int64(len(s)), 10)
	return append(append(key, ':'), s...)
}
