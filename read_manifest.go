package outrank

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/outrank-go/outrank/internal/fields"
	"github.com/outrank-go/outrank/internal/manifest"
	"github.com/outrank-go/outrank/resource"
)

// ReadManifest is [ReadPod], and says what it could not fill in. A warning names
// a field that an API server might have set, by objects that are not here: limit
// ranges and runtime classes (group 21.6). A pod with a UID was created by an API
// server and needs nothing; there are no warnings about it. The priority stands
// in no warning: priority.Table resolves it.
func ReadManifest(r io.Reader) (pod *Pod, warnings []Problem, err error) {
	rd := newReader()
	rd.finished, rd.fills = true, true
	err = manifest.Each(r, func(it manifest.Item) error {
		if it.Kind != kindPod && it.Kind != kindStatus {
			rd.problem(it.Where, "kind", "%s where a Pod is wanted%s", fields.Quote(it.Kind), instead(it.Kind))
			return nil
		}
		return rd.item(it)
	})
	pods := rd.cluster.Pods
	switch {
	case errors.Is(err, manifest.ErrSyntax):
		rd.problem("input", "", "%v", err)
	case err != nil:
		return nil, nil, err
	case len(rd.problems) == 0 && len(pods) != 1:
		rd.problem("input", "", "holds %d pods where one is wanted", len(pods))
	}
	rd.validate()
	if len(rd.problems) > 0 {
		return nil, nil, &InputError{Problems: rd.problems, More: rd.more}
	}
	return pods[0], rd.warnings, nil
}

// instead says what to do about an object that makes pods.
func instead(kind string) string {
	switch kind {
	case "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "ReplicationController":
		return "; make one of its spec.template"
	case "CronJob":
		return "; make one of its spec.jobTemplate.spec.template"
	}
	return ""
}

// manifest reads a pod that was never created: it fills in what the API server
// would, refuses what that would refuse, and warns of the rest.
func (rd *reader) manifest(cv *converter, w *manifest.Pod) *Pod {
	fillPorts(w)
	p := cv.pod(w)
	cv.named(p)
	p.fill()
	rd.warnings = append(rd.warnings, unfilled(cv.object(), w, p)...)
	return p
}

// named refuses names and labels with which no pod is created (group 21.7).
func (cv *converter) named(p *Pod) {
	meta, spec := fields.Path{Name: "metadata", Index: -1}, fields.Path{Name: "spec", Index: -1}
	if p.Name != "" && !fields.IsSubdomain(p.Name) {
		at := meta.Field("name")
		cv.add(&at, "%s is no name of a pod: small letters, digits, '-' and '.', a letter or digit at both ends, at most 253", fields.Quote(p.Name))
	}
	if ns := p.NamespaceName(); !fields.IsSubdomain(ns) || strings.Contains(ns, ".") || len(ns) > fields.MaxLabelName {
		at := meta.Field("namespace")
		cv.add(&at, "%s is no name of a namespace: small letters, digits and '-', a letter or digit at both ends, at most 63", fields.Quote(ns))
	}
	labels, selector := meta.Field("labels"), spec.Field("nodeSelector")
	cv.labelled(p.Labels, &labels)
	cv.labelled(p.NodeSelector, &selector)
}

func (cv *converter) labelled(labels map[string]string, at *fields.Path) {
	for _, key := range fields.SortedKeys(labels) {
		for _, text := range [...]string{fields.KeyProblem(key), fields.ValueProblem(labels[key])} {
			if text != "" {
				cv.add(at, "%s", text)
			}
		}
	}
}

// unfilled warns of what other objects may add to the pod (group 21.6).
func unfilled(object string, w *manifest.Pod, p *Pod) []Problem {
	var ws []Problem
	if w.Spec.RuntimeClassName != "" {
		ws = append(ws, Problem{object, "spec.runtimeClassName", "what the runtime class " + fields.Quote(w.Spec.RuntimeClassName) +
			" adds is not filled in: overhead, a node selector, tolerations"})
	}
	if len(w.Spec.ResourceClaims) > 0 {
		ws = append(ws, Problem{object, "spec.resourceClaims", "devices that are claimed are not looked at"})
	}
	for kind, containers := range [...][]Container{p.Containers, p.InitContainers} {
		for i := range containers {
			if missing := p.unrequested(&containers[i]); missing != "" {
				list := [...]string{"containers", "initContainers"}[kind]
				ws = append(ws, Problem{object, fmt.Sprintf("spec.%s[%d].resources.requests", list, i),
					"no " + missing + "; what a limit range of the namespace would set is not filled in"})
			}
		}
	}
	return ws
}

// unrequested names what a limit range may give a container: cpu and memory that
// neither the container nor the pod as a whole asks for.
func (p *Pod) unrequested(c *Container) string {
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
