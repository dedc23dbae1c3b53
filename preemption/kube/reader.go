package kube

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
)

// reader turns items into objects of a cluster.
type reader struct {
	cluster *outrank.Cluster
	// problems are at most apis.MostProblems. more counts the others.
	problems []outrank.Problem
	more     int
	decoder  manifest.Decoder
	// wire is the wire form of the last pod, whose memory the next one uses.
	wire    manifest.Pod
	storage storage
	// finished is set where finished pods are kept, too.
	finished bool
	// fills is set where a pod without a UID gets the defaults of the API server. warnings say what it lacks then.
	fills    bool
	warnings []outrank.Problem
	// skipped is called for objects that are skipped; nil for nobody.
	skipped func(kind string, text []byte)
}

// newReader returns a reader with an empty cluster.
func newReader() *reader {
	return &reader{cluster: &outrank.Cluster{}, storage: newStorage()}
}

// problem records a problem, or counts it where there are too many.
func (rd *reader) problem(object, field, format string, args ...any) {
	if len(rd.problems) >= apis.MostProblems {
		rd.more++
		return
	}
	rd.problems = append(rd.problems, outrank.Problem{Object: object, Field: field, Text: fmt.Sprintf(format, args...)})
}

// keep records problems, and counts those beyond the bound.
func (rd *reader) keep(ps ...outrank.Problem) {
	room := min(len(ps), apis.MostProblems-len(rd.problems))
	rd.problems = append(rd.problems, ps[:room]...)
	rd.more += len(ps) - room
}

// skip counts an object, and reads only the time of its creation. No field of a skipped object is refused, so that a
// creation time that cannot be read is ignored.
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
	// name is what problems call such an object.
	name string
	// namespaced is set where the objects are in namespaces.
	namespaced bool
}

// decode fills in the wire form of an object and returns a converter for it. meta is the metadata in the wire form.
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
