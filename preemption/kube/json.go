package kube

import (
	"bytes"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
)

// The types of package outrank write and read their JSON through the codec registered here.
func init() { apis.Register(apis.Codec{Marshal: marshal, Unmarshal: unmarshal}) }

// marshal returns the JSON of a value of package outrank.
func marshal(object any) ([]byte, error) {
	// A cluster is a List of its own. Everything else has a wire form that is encoded below.
	var e encoder
	var wire any
	switch o := object.(type) {
	case *outrank.Cluster:
		var b bytes.Buffer
		err := WriteCluster(&b, o)
		return b.Bytes(), err
	case *outrank.Pod:
		wire = e.pod(o)
	case *outrank.Node:
		wire = e.node(o)
	case *outrank.PodDisruptionBudget:
		wire = e.budget(o)
	case *outrank.PriorityClass:
		wire = e.class(o)
	case *outrank.Namespace:
		wire = e.namespace(o)
	case *outrank.PodGroup:
		wire = e.group(o)
	case *outrank.CompositePodGroup:
		wire = e.composite(o)
	case *outrank.Workload:
		wire = e.workload(o)
	case *outrank.VolumeClaim:
		wire = e.claim(&boundClaim{claim: o})

	// Parts of a pod's spec.
	case *outrank.Affinity:
		wire = e.affinity(o)
	case *outrank.Container:
		wire = e.container(o)
	default:
		return nil, fmt.Errorf("%T is no object of Kubernetes", object)
	}

	// Problems of the conversion and of the encoding are reported together.
	text := e.text(wire)
	if len(e.problems) > 0 {
		return nil, &outrank.InputError{Problems: e.problems}
	}
	return text, nil
}

// unmarshal reads JSON into a value of package outrank. For null, and after an error, the value is unchanged.
func unmarshal(text []byte, to any) error {
	if string(bytes.TrimSpace(text)) == "null" {
		return nil
	}

	// A cluster is a List, the next types are objects, and the last three are parts of objects.
	switch o := to.(type) {
	case *outrank.Cluster:
		return unmarshalCluster(text, o)

	case *outrank.Pod:
		return unmarshalObject(text, kindPod, o, func(c *outrank.Cluster) []*outrank.Pod { return c.Pods })
	case *outrank.Node:
		return unmarshalObject(text, kindNode, o, func(c *outrank.Cluster) []*outrank.Node { return c.Nodes })
	case *outrank.PodDisruptionBudget:
		return unmarshalObject(text, kindBudget, o, func(c *outrank.Cluster) []*outrank.PodDisruptionBudget { return c.Budgets })
	case *outrank.PriorityClass:
		return unmarshalObject(text, kindClass, o, func(c *outrank.Cluster) []*outrank.PriorityClass { return c.Classes })
	case *outrank.Namespace:
		return unmarshalObject(text, kindNamespace, o, func(c *outrank.Cluster) []*outrank.Namespace { return c.Namespaces })
	case *outrank.PodGroup:
		return unmarshalObject(text, kindGroup, o, func(c *outrank.Cluster) []*outrank.PodGroup { return c.Groups })
	case *outrank.CompositePodGroup:
		return unmarshalObject(text, kindComposite, o, func(c *outrank.Cluster) []*outrank.CompositePodGroup { return c.Composites })
	case *outrank.Workload:
		return unmarshalObject(text, kindWorkload, o, func(c *outrank.Cluster) []*outrank.Workload { return c.Workloads })
	case *outrank.VolumeClaim:
		return unmarshalObject(text, kindClaim, o, func(c *outrank.Cluster) []*outrank.VolumeClaim { return c.Claims })

	case *outrank.LabelSelector:
		return unmarshalPart(text, "label selector", o, (*converter).selector)
	case *outrank.Affinity:
		return unmarshalPart(text, "affinity", o, func(cv *converter, w *manifest.Affinity) *outrank.Affinity {
			read := cv.affinity(w)
			return &read
		})
	case *outrank.Container:
		return unmarshalPart(text, "container", o, func(cv *converter, w *manifest.Container) *outrank.Container {
			if w.Name != "" {
				cv.meta = &manifest.Meta{Name: w.Name}
			}
			read := cv.container(w, nil)
			return &read
		})
	}
	return fmt.Errorf("%T is no object of Kubernetes", to)
}

// unmarshalCluster reads a List into a cluster. A single object is an error.
func unmarshalCluster(text []byte, to *outrank.Cluster) error {
	rd := newReader()
	err := manifest.Each(bytes.NewReader(text), func(it manifest.Item) error {
		if it.Single {
			rd.problem("input", "kind", "%s where a List is wanted", apis.Quote(it.Kind))
			return nil
		}
		return rd.item(it)
	})
	if err != nil {
		rd.problem("input", "", "%v", err)
	}

	read, err := rd.finish()
	if err != nil {
		return err
	}
	*to = *read
	return nil
}

// unmarshalObject reads one object into to. It reads a cluster that holds nothing else; list returns the objects of this
// kind in that cluster.
func unmarshalObject[T any](text []byte, kind string, to *T, list func(*outrank.Cluster) []*T) error {
	rd := newReader()
	rd.finished = true
	if rd.expect(text, kind) {
		if err := rd.item(manifest.Item{Kind: kind, Where: "input", Raw: text}); err != nil {
			return err
		}
	}
	rd.validate()

	switch read := list(rd.cluster); {
	case len(rd.problems) > 0:
	case len(read) == 0: // the object was skipped, because its kind is of another API group
		rd.problem("input", "apiVersion", "this %s is of an unknown API group", kind)
	default:
		*to = *read[0]
	}

	if len(rd.problems) > 0 {
		return &outrank.InputError{Problems: rd.problems}
	}
	return nil
}

// expect reports whether text is an object of this kind, or one without a kind. If not, it records a problem.
func (rd *reader) expect(text []byte, kind string) bool {
	have, wrong := manifest.KindOf(text)
	for _, m := range wrong {
		rd.problem("input", m.Field, "%s", m.Text)
	}
	if len(wrong) == 0 && have != "" && have != kind {
		rd.problem("input", "kind", "%s where a %s is wanted", apis.Quote(have), kind)
	}
	return len(rd.problems) == 0
}

// unmarshalPart reads a part of an object into to. what is its name in errors.
func unmarshalPart[W, T any](text []byte, what string, to *T, convert func(*converter, *W) *T) error {
	var w W
	more := 0
	cv := converter{kind: what, texts: &manifest.Decoder{}, more: &more}
	for _, m := range manifest.Decode(text, &w) {
		cv.problems = append(cv.problems, outrank.Problem{Object: cv.object(), Field: m.Field, Text: m.Text})
		more += m.More
	}

	read := convert(&cv, &w)
	if len(cv.problems) > 0 {
		return &outrank.InputError{Problems: cv.problems, More: more}
	}
	*to = *read
	return nil
}
