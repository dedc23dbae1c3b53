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

// nearPod is a pod with a name like the given one, and how far from it.
type nearPod struct {
	pod      *outrank.Pod
	distance int
}

// compare puts pods that are pending first, as they could be asked about, and then the nearest.
func (p nearPod) compare(q nearPod) int {
	if runs := p.pod.NodeName != ""; runs != (q.pod.NodeName != "") {
		if runs {
			return 1
		}
		return -1
	}
	return cmp.Or(cmp.Compare(p.distance, q.distance), cmp.Compare(p.pod.Key(), q.pod.Key()))
}

// nearPods names the pods whose names are nearest to key, of those that among reports. It marks those
// that run already.
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

// nameDistance is how far a pod's name is from the given one; false if it is another name altogether.
// The right name in another namespace, and a name that begins with the key, are as near as a wrong
// letter or two.
func nameDistance(key string, p *outrank.Pod) (int, bool) {
	got := string(p.Key())
	_, name, _ := strings.Cut(key, "/")
	switch {
	case name == p.Name, strings.HasPrefix(got, key):
		return 1, true
	case name != "" && strings.HasPrefix(p.Name, name):
		return 2, true
	}

	// Names of very different lengths need not be compared letter by letter.
	most := max(2, len(key)/5)
	if d := len(got) - len(key); d > most || -d > most {
		return 0, false
	}
	d := spelling.Distance(key, got)
	return d, d <= most
}

// nearNames are the names that may have been meant, the nearest first: they have name as a part, or are
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
		// The lengths are compared first: a distance costs the product of both.
		if more := len(n) - len(name); strings.Contains(n, name) || max(more, -more) <= max(2, len(name)/5) && distance(n) <= max(2, len(name)/5) {
			near = append(near, n)
		}
	}

	slices.SortFunc(near, func(a, b string) int { return cmp.Or(cmp.Compare(distance(a), distance(b)), cmp.Compare(a, b)) })
	return near
}

// suggest puts an introduction before a list of names, and is empty without names.
func suggest(before string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return before + strings.Join(names, ", ")
}

// some lists at most most of the names, and says how many of the total are not listed.
func some(names []string, most, total int) string {
	shown := names[:min(len(names), most)]
	text := strings.Join(shown, ", ")
	if more := total - len(shown); more > 0 && len(shown) > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
