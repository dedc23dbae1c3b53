package kube

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
)

// item adds one object to the cluster. It never returns an error: problems are recorded.
func (rd *reader) item(it manifest.Item) error {
	c := rd.cluster
	switch it.Kind {
	case kindPod:
		rd.addPod(rd.pod(it))
	case kindNode:
		n := rd.node(it)
		keepNamed(&c.Nodes, n, n.Name)
	case kindBudget:
		b := rd.budget(it)
		keepNamed(&c.Budgets, b, b.Name)
	case kindClass:
		pc := rd.class(it)
		keepNamed(&c.Classes, pc, pc.Name)
	case kindNamespace:
		ns := rd.namespace(it)
		keepNamed(&c.Namespaces, ns, ns.Name)

	// Other projects have kinds of the same names. Their objects are skipped like those of any unknown kind.
	case kindGroup:
		if g, ours := rd.group(it); ours {
			keepNamed(&c.Groups, g, g.Name)
		} else {
			rd.skip(it)
		}
	case kindComposite:
		if g, ours := rd.composite(it); ours {
			keepNamed(&c.Composites, g, g.Name)
		} else {
			rd.skip(it)
		}
	case kindWorkload:
		if w, ours := rd.workload(it); ours {
			keepNamed(&c.Workloads, w, w.Name)
		} else {
			rd.skip(it)
		}

	// The parts of volumes are joined once all of them are read.
	case kindClaim:
		rd.claim(it)
	case kindVolume:
		rd.volume(it)
	case kindStorageClass:
		rd.storageClass(it)
	case kindCSINode:
		rd.csiNode(it)
	case kindCSIDriver:
		rd.csiDriver(it)

	// kubectl prints a Status if the API server returned an error.
	case kindStatus:
		rd.status(it)
	case "":
		rd.problem(it.Where, "kind", "missing")
	default:
		rd.skip(it)
	}
	return nil
}

// addPod adds a pod to the cluster. A finished pod is only counted, unless rd.finished is set.
func (rd *reader) addPod(p *outrank.Pod) {
	if p.Finished() && !rd.finished {
		rd.cluster.Finished++
	} else {
		keepNamed(&rd.cluster.Pods, p, p.Name)
	}
}

// keepNamed adds an object to a list. An object without a name is left out; that problem has been recorded.
func keepNamed[T any](list *[]*T, one *T, name string) {
	if name != "" {
		*list = append(*list, one)
	}
}

// status records a problem if the API server returned an error instead of objects. Any other status is skipped.
func (rd *reader) status(it manifest.Item) {
	var w manifest.Status
	if wrong := manifest.Decode(it.Raw, &w); len(wrong) > 0 || w.Status != "Failure" {
		rd.skip(it)
		return
	}
	rd.problem(it.Where, "", "this is an error of the API server, %s, and not what was asked of it; mend the cause and ask again", apis.Quote(w.Message))
}

// pod reads a pod. If rd.fills is set and the pod has no UID, it gets the defaults of the API server.
func (rd *reader) pod(it manifest.Item) *outrank.Pod {
	// There are many pods, so they share one wire form. A large pod gets one of its own, whose memory is freed.
	w := &rd.wire
	if len(it.Raw) > mostHanded {
		w = &manifest.Pod{}
	}

	cv := rd.decode(it, objectKind{"pod", true}, w, &w.Metadata)
	var p *outrank.Pod
	if rd.fills && w.Metadata.UID == "" {
		p = rd.manifest(&cv, w)
	} else {
		p = cv.pod(w)
	}
	rd.keep(cv.problems...)
	rd.podUnread(&cv, w)
	return p
}

// node reads a node, and records its problems.
func (rd *reader) node(it manifest.Item) *outrank.Node {
	var w manifest.Node
	cv := rd.decode(it, objectKind{"node", false}, &w, &w.Metadata)
	n := cv.node(&w)
	rd.keep(cv.problems...)
	return n
}

// budget reads a disruption budget, and records its problems.
func (rd *reader) budget(it manifest.Item) *outrank.PodDisruptionBudget {
	var w manifest.Budget
	cv := rd.decode(it, objectKind{"poddisruptionbudget", true}, &w, &w.Metadata)
	b := cv.budget(&w)
	rd.keep(cv.problems...)
	rd.budgetUnread(&cv, &w)
	return b
}

// class reads a priority class, and records its problems.
func (rd *reader) class(it manifest.Item) *outrank.PriorityClass {
	var w manifest.PriorityClass
	cv := rd.decode(it, objectKind{"priorityclass", false}, &w, &w.Metadata)
	rd.keep(cv.problems...)
	return cv.class(&w)
}

// namespace reads a namespace, and records its problems.
func (rd *reader) namespace(it manifest.Item) *outrank.Namespace {
	var w manifest.Namespace
	cv := rd.decode(it, objectKind{"namespace", false}, &w, &w.Metadata)
	rd.keep(cv.problems...)
	rd.namespaceUnread(&cv, &w)
	return &outrank.Namespace{Name: w.Metadata.Name, Labels: cv.labels(w.Metadata.Labels)}
}
