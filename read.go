package outrank

import (
	"errors"
	"fmt"
	"io"

	"github.com/outrank-go/outrank/internal/fields"
	"github.com/outrank-go/outrank/internal/manifest"
)

// ReadCluster reads what
//
//	kubectl get nodes,pods,pdb,priorityclasses,namespaces,pv,pvc,sc,csinodes,csidrivers -A -o json
//
// prints, podgroups, compositepodgroups and workloads added where the cluster has
// them (chapter 22 of internal/manifest/RULES.md): a List, or several JSON
// documents one after another, lists and single objects mixed, and lists in lists
// up to ten deep, as jq -s makes them. Fields that do not matter here are ignored,
// other kinds are counted in Cluster.Skipped, finished pods in Cluster.Finished.
//
// Volumes, claims, storage classes, CSINodes and CSIDrivers may come before or after
// the pods and nodes that they concern. A claim that is not there is a mere name, which
// keeps no pod away. One that is there goes by its volume and its class: without
// these it has lost its volume, or cannot get one ([ClaimState]). More than 100
// CSIDrivers that have to be on a node are a problem.
//
// It reads as a stream: beside the cluster itself, memory is bounded by the
// largest single object, and by 64 MB for a list of one kind that names the kind
// only after objects that do not. An object of more than 8 MB, or a text of that
// size, ends the reading: no API server has one. Time is linear in the input.
//
// Whatever is wrong with the objects is listed in one *[InputError], which
// wraps [ErrInvalid], and there is no cluster then: amounts and times that
// cannot be read, values of the wrong type, and all that [Cluster.Validate]
// names. [Cluster.Warnings] tells what is odd but harmless. Input that is not
// JSON at all ends the reading; an error of r is returned as it is. Input without a
// single object or List is a problem, too, and so is a nil reader: the program that was to
// write the dump has failed. A List without items is a cluster without objects.
func ReadCluster(r io.Reader) (*Cluster, error) {
	rd := newReader()
	err := manifest.Each(r, rd.item)
	if errors.Is(err, manifest.ErrSyntax) {
		rd.problem("input", "", "%v", err)
	} else if err != nil {
		return nil, err
	}
	return rd.finish()
}

// finish returns the cluster when all is read.
func (rd *reader) finish() (*Cluster, error) {
	rd.joinStorage()
	rd.validate()
	if len(rd.problems) > 0 {
		return nil, &InputError{Problems: rd.problems, More: rd.more}
	}
	// Only now, so that what is wrong with a volume is said once, of its claim.
	c := rd.cluster
	c.ResolveVolumes(c.Pods...)
	return c, nil
}

// validate adds the problems that the rules find to those of reading, except in
// fields that have a problem already.
func (rd *reader) validate() {
	var invalid *InputError
	if !errors.As(rd.cluster.Validate(), &invalid) {
		return
	}
	type place struct{ object, field string }
	known := map[place]bool{}
	for _, p := range rd.problems {
		known[place{p.Object, p.Field}] = true
	}
	for _, p := range invalid.Problems {
		if !known[place{p.Object, p.Field}] {
			rd.keep(p)
		}
	}
}

// ReadPod reads one pod, as kubectl prints it or as it stands in a manifest in
// JSON. Errors are those of [ReadCluster]; anything but exactly one pod is one,
// too. A finished pod is read like any other. What the pod's claims stand for
// is left open; see [Cluster.ResolveVolumes].
//
// A pod without a UID is a manifest. It gets what an API server would give it
// when it is created, as far as placing it depends on that (chapter 21 of
// internal/manifest/RULES.md): a limit is a request where there is none, a pod on
// the host's network takes its ports there, and so on. Its priority is left to
// package priority. [ReadManifest] says in addition what is not filled in.
func ReadPod(r io.Reader) (*Pod, error) {
	p, _, err := ReadManifest(r)
	return p, err
}

// reader turns items into objects of a cluster.
type reader struct {
	cluster  *Cluster
	problems []Problem         // at most mostProblems of them
	more     int               // how many others there were
	texts    map[string]string // one copy of each text that recurs
	storage  storage
	finished bool // keep pods that have ended, too
	fills    bool // fill in what the API server would
	warnings []Problem
}

func newReader() *reader {
	return &reader{cluster: &Cluster{}, texts: map[string]string{}, storage: newStorage()}
}

func (rd *reader) problem(object, field, format string, args ...any) {
	if len(rd.problems) >= fields.MostProblems {
		rd.more++
		return
	}
	rd.problems = append(rd.problems, Problem{object, field, fmt.Sprintf(format, args...)})
}

// keep adds problems as long as there are not too many.
func (rd *reader) keep(ps ...Problem) {
	room := min(len(ps), fields.MostProblems-len(rd.problems))
	rd.problems = append(rd.problems, ps[:room]...)
	rd.more += len(ps) - room
}

// keepNamed adds an object to a list. One without a name is a problem already and is
// left out.
func keepNamed[T any](list *[]*T, one *T, name string) {
	if name != "" {
		*list = append(*list, one)
	}
}

// item adds one object to the cluster.
func (rd *reader) item(it manifest.Item) error {
	c := rd.cluster
	switch it.Kind {
	case kindPod:
		if p := rd.pod(it); p.Finished() && !rd.finished {
			c.Finished++
		} else {
			keepNamed(&c.Pods, p, p.Name)
		}
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
	case kindGroup:
		if g, ours := rd.group(it); ours {
			keepNamed(&c.Groups, g, g.Name)
		} else {
			rd.skip(it.Kind)
		}
	case kindComposite:
		if g, ours := rd.composite(it); ours {
			keepNamed(&c.Composites, g, g.Name)
		} else {
			rd.skip(it.Kind)
		}
	case kindWorkload:
		if w, ours := rd.workload(it); ours {
			keepNamed(&c.Workloads, w, w.Name)
		} else {
			rd.skip(it.Kind)
		}
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
	case kindStatus:
		rd.status(it)
	case "":
		rd.problem(it.Where, "kind", "missing")
	default:
		rd.skip(it.Kind)
	}
	return nil
}

// status reports an error that the API server gave in place of objects.
func (rd *reader) status(it manifest.Item) {
	var w manifest.Status
	if wrong := manifest.Decode(it.Raw, &w); len(wrong) > 0 || w.Status != "Failure" {
		rd.skip(it.Kind)
		return
	}
	rd.problem(it.Where, "", "this is an error of the API server, %s, and not what was asked of it; mend the cause and ask again", fields.Quote(w.Message))
}

func (rd *reader) skip(kind string) {
	if rd.cluster.Skipped == nil {
		rd.cluster.Skipped = map[string]int{}
	}
	rd.cluster.Skipped[kind]++
}

func (rd *reader) pod(it manifest.Item) *Pod {
	var w manifest.Pod
	cv := rd.decode(it, "pod", &w, &w.Metadata, true)
	var p *Pod
	if rd.fills && w.Metadata.UID == "" {
		p = rd.manifest(&cv, &w)
	} else {
		p = cv.pod(&w)
	}
	rd.keep(cv.problems...)
	return p
}

func (rd *reader) node(it manifest.Item) *Node {
	var w manifest.Node
	cv := rd.decode(it, "node", &w, &w.Metadata, false)
	n := cv.node(&w)
	rd.keep(cv.problems...)
	return n
}

func (rd *reader) budget(it manifest.Item) *PodDisruptionBudget {
	var w manifest.Budget
	cv := rd.decode(it, "poddisruptionbudget", &w, &w.Metadata, true)
	b := cv.budget(&w)
	rd.keep(cv.problems...)
	return b
}

func (rd *reader) class(it manifest.Item) *PriorityClass {
	var w manifest.PriorityClass
	cv := rd.decode(it, "priorityclass", &w, &w.Metadata, false)
	rd.keep(cv.problems...)
	return cv.class(&w)
}

func (rd *reader) namespace(it manifest.Item) *Namespace {
	var w manifest.Namespace
	cv := rd.decode(it, "namespace", &w, &w.Metadata, false)
	rd.keep(cv.problems...)
	return &Namespace{Name: w.Metadata.Name, Labels: cv.labels(w.Metadata.Labels)}
}

// decode fills in the wire form and returns a converter that names the object
// in problems.
func (rd *reader) decode(it manifest.Item, kind string, wire any, meta *manifest.Meta, namespaced bool) converter {
	wrong := manifest.Decode(it.Raw, wire)
	var name string
	switch {
	case meta.Name == "" && it.Where != "":
		name = "(" + it.Where + ")"
	case meta.Name == "":
		name = "without a name"
	case namespaced:
		name = namespaceOr(meta.Namespace) + "/" + meta.Name
	default:
		name = meta.Name
	}
	cv := converter{kind: kind, name: name, texts: rd.texts, asOf: &rd.cluster.AsOf}
	for _, m := range wrong {
		cv.problems = append(cv.problems, Problem{cv.object(), m.Field, m.Text})
		rd.more += m.More
	}
	cv.more = &rd.more
	if meta.Name == "" && it.Where != "" {
		text := "missing"
		if meta.GenerateName != "" {
			text = "missing; only the API server makes one of generateName " + fields.Quote(meta.GenerateName) + ": give the object a name here"
		}
		cv.problems = append(cv.problems, Problem{cv.object(), "metadata.name", text})
	}
	return cv
}
