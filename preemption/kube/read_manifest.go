package kube

import (
	"fmt"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
	"github.com/outrank-go/outrank/resource"
)

// manifest converts a pod that was never created. It fills in the defaults of the API server, records problems with
// names and labels that the API server would reject, and warns of what it cannot fill in.
func (rd *reader) manifest(cv *converter, w *manifest.Pod) *outrank.Pod {
	fillPorts(w)
	p := cv.pod(w)
	cv.named(p)
	fill(p)
	rd.warnings = append(rd.warnings, unfilled(cv.object(), w, p)...)
	return p
}

// named records problems with a name, namespace or labels that an API server would reject (group 21.7).
func (cv *converter) named(p *outrank.Pod) {
	meta, spec := apis.Path{Name: "metadata", Index: -1}, apis.Path{Name: "spec", Index: -1}
	if p.Name != "" && !apis.IsSubdomain(p.Name) {
		at := meta.Field("name")
		cv.add(&at, "%s is no name of a pod: small letters, digits, '-' and '.', a letter or digit at both ends, at most 253", apis.Quote(p.Name))
	}
	if ns := p.NamespaceName(); !apis.IsSubdomain(ns) || strings.Contains(ns, ".") || len(ns) > apis.MaxLabelName {
		at := meta.Field("namespace")
		cv.add(&at, "%s is no name of a namespace: small letters, digits and '-', a letter or digit at both ends, at most 63", apis.Quote(ns))
	}

	labels, selector := meta.Field("labels"), spec.Field("nodeSelector")
	cv.labelled(p.Labels, &labels)
	cv.labelled(p.NodeSelector, &selector)
}

// labelled records problems with the keys and values of labels.
func (cv *converter) labelled(labels map[string]string, at *apis.Path) {
	for _, key := range apis.SortedKeys(labels) {
		for _, text := range [...]string{apis.KeyProblem(key), apis.ValueProblem(labels[key])} {
			if text != "" {
				cv.add(at, "%s", text)
			}
		}
	}
}

// unfilled returns warnings about fields that an API server may fill in from other objects (group 21.6).
func unfilled(object string, w *manifest.Pod, p *outrank.Pod) []outrank.Problem {
	var ws []outrank.Problem
	if w.Spec.RuntimeClassName != "" {
		ws = append(ws, outrank.Problem{Object: object, Field: "spec.runtimeClassName", Text: "what the runtime class " + apis.Quote(w.Spec.RuntimeClassName) +
			" adds is not filled in: overhead, a node selector, tolerations"})
	}
	if len(w.Spec.ResourceClaims) > 0 {
		ws = append(ws, outrank.Problem{Object: object, Field: "spec.resourceClaims", Text: "devices that are claimed are not looked at"})
	}

	for kind, containers := range [...][]outrank.Container{p.Containers, p.InitContainers} {
		for i := range containers {
			if missing := unrequested(p, &containers[i]); missing != "" {
				list := [...]string{"containers", "initContainers"}[kind]
				ws = append(ws, outrank.Problem{Object: object, Field: fmt.Sprintf("spec.%s[%d].resources.requests", list, i),
					Text: "no " + missing + "; what a limit range of the namespace would set is not filled in"})
			}
		}
	}
	return ws
}

// unrequested names which of cpu and memory have no request, neither in the container nor at pod level. A limit range may
// add such a request.
func unrequested(p *outrank.Pod, c *outrank.Container) string {
	var missing []string
	for _, name := range [...]resource.Name{resource.CPU, resource.Memory} {
		_, own := c.Requests[name]
		whole := false
		if p.Resources != nil {
			_, whole = p.Resources.Requests[name]
		}
		if !own && !whole {
			missing = append(missing, string(name))
		}
	}
	return strings.Join(missing, " and ")
}
