package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/internal/spelling"
)

// mostNear is the most pods that a message offers.
const mostNear = 5

// nearPod is a pod whose name resembles a given one, and the distance between the names.
type nearPod struct {
	pod      *outrank.Pod
	distance int
}

// compare puts pending pods first, because one can ask about them, and then the nearest names.
func (p nearPod) compare(q nearPod) int {
	if runs := p.pod.NodeName != ""; runs != (q.pod.NodeName != "") {
		if runs {
			return 1
		}
		return -1
	}
	return cmp.Or(cmp.Compare(p.distance, q.distance), cmp.Compare(p.pod.Key(), q.pod.Key()))
}

// nearPods names the pods whose names are nearest to key. It considers only pods for which among is true, and
// marks those that run already.
func nearPods(c *outrank.Cluster, key outrank.Key, among func(*outrank.Pod) bool) []string {
	var found []nearPod
	for _, p := range c.Pods {
		if !among(p) {
			continue
		}
		if d, ok := nameDistance(string(key), p); ok {
			found = append(found, nearPod{p, d})
		}
	}

	slices.SortFunc(found, nearPod.compare)

	var texts []string
	for _, near := range found[:min(len(found), mostNear)] {
		text := string(near.pod.Key())
		if near.pod.NodeName != "" {
			text += fmt.Sprintf(" (runs on %s)", near.pod.NodeName)
		}
		texts = append(texts, text)
	}
	return texts
}

// nameDistance returns how far a pod's name is from the given one. It is false if the names have nothing in
// common. The right name in another namespace, and a name that begins with the key, count as near as a typing
// mistake.
func nameDistance(key string, p *outrank.Pod) (int, bool) {
	got := string(p.Key())
	_, name, _ := strings.Cut(key, "/")
	switch {
	case name == p.Name, strings.HasPrefix(got, key):
		return 1, true
	case name != "" && strings.HasPrefix(p.Name, name):
		return 2, true
	}

	// Names whose lengths differ by more than the bound need not be compared letter by letter.
	most := max(2, len(key)/5)
	if d := len(got) - len(key); d > most || -d > most {
		return 0, false
	}
	d := spelling.Distance(key, got)
	return d, d <= most
}

// nearNames returns the names that may have been meant, the nearest first: names that contain name or are
// spelled like it.
func nearNames(names []string, name string) []string {
	distance := func(n string) int {
		if name != "" && strings.Contains(n, name) {
			return 1
		}
		return spelling.Distance(n, name)
	}

	var near []string
	for _, n := range names {
		// The lengths are compared first, because computing a distance takes time proportional to their
		// product.
		if more := len(n) - len(name); strings.Contains(n, name) || max(more, -more) <= max(2, len(name)/5) && distance(n) <= max(2, len(name)/5) {
			near = append(near, n)
		}
	}

	slices.SortFunc(near, func(a, b string) int { return cmp.Or(cmp.Compare(distance(a), distance(b)), cmp.Compare(a, b)) })
	return near
}

// suggest returns the names after an introduction. It is empty without names.
func suggest(before string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return before + strings.Join(names, ", ")
}

// some lists at most most of the names, and says how many of the total it does not list.
func some(names []string, most, total int) string {
	shown := names[:min(len(names), most)]
	text := strings.Join(shown, ", ")
	if more := total - len(shown); more > 0 && len(shown) > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
