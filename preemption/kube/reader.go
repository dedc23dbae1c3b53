package kube

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
)

// reader converts items of an input to objects of a cluster.
type reader struct {
	cluster *outrank.Cluster
	// problems has at most apis.MostProblems entries. more counts further ones.
	problems []outrank.Problem
	more     int
	decoder  manifest.Decoder
	// wire is the wire form of the last pod. The next one reuses its memory.
	wire    manifest.Pod
	storage storage
	// finished is set if finished pods are added to the cluster, and not only counted.
	finished bool
	// fills is set if a pod without a UID gets the defaults of the API server. warnings then lists what could not
	// be filled in.
	fills    bool
	warnings []outrank.Problem
	// skipped is called for each object that is skipped, unless it is nil.
	skipped func(kind string, text []byte)
}

// newReader returns a reader with an empty cluster.
func newReader() *reader {
	return &reader{cluster: &outrank.Cluster{}, storage: newStorage()}
}

// problem records a problem, or only counts it if there are apis.MostProblems already.
func (rd *reader) problem(object, field, format string, args ...any) {
	if len(rd.problems) >= apis.MostProblems {
		rd.more++
		return
	}
	rd.problems = append(rd.problems, outrank.Problem{Object: object, Field: field, Text: fmt.Sprintf(format, args...)})
}

// keep records problems, and only counts those beyond apis.MostProblems.
func (rd *reader) keep(ps ...outrank.Problem) {
	room := min(len(ps), apis.MostProblems-len(rd.problems))
	rd.problems = append(rd.problems, ps[:room]...)
	rd.more += len(ps) - room
}

// skip counts an object, and reads only its creation time. Skipped objects have no problems, so a creation time that
// cannot be read is ignored.
func (rd *reader) skip(it manifest.Item) {
	var w struct {
		Metadata struct {
			CreationTimestamp manifest.Moment `json:"creationTimestamp,omitzero"`
		} `json:"metadata,omitzero"`
	}
	rd.decoder.Decode(it.Raw, &w)
	latest(&rd.cluster.AsOf, w.Metadata.CreationTimestamp.Time)

	if rd.cluster.Skipped == nil {
		rd.cluster.Skipped = map[string]int{}
	}
	rd.cluster.Skipped[it.Kind]++
	if rd.skipped != nil {
		rd.skipped(it.Kind, it.Raw)
	}
}

// objectKind describes a kind of objects.
type objectKind struct {
	// name is the name of the kind in problems.
	name string
	// namespaced is set if objects of the kind belong to namespaces.
	namespaced bool
}

// decode decodes an object into its wire form, and returns a converter for it. meta points to the metadata in the wire
// form.
func (rd *reader) decode(it manifest.Item, kind objectKind, wire any, meta *manifest.Meta) converter {
	wrong := rd.decoder.Decode(it.Raw, wire)
	cv := converter{kind: kind.name, where: it.Where, meta: meta, namespaced: kind.namespaced, texts: &rd.decoder, asOf: &rd.cluster.AsOf}
	for _, m := range wrong {
		cv.problems = append(cv.problems, outrank.Problem{Object: cv.object(), Field: m.Field, Text: m.Text})
		rd.more += m.More
	}
	cv.more = &rd.more
	cv.created()

	if meta.Name == "" && it.Where != "" {
		text := "missing"
		if meta.GenerateName != "" {
			text = "missing; only the API server makes one of generateName " + apis.Quote(meta.GenerateName) + ": give the object a name here"
		}
		cv.problems = append(cv.problems, outrank.Problem{Object: cv.object(), Field: "metadata.name", Text: text})
	}
	return cv
}
