package kube

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/apis"
	"github.com/outrank-go/outrank/internal/manifest"
)

// reader turns items into objects of a cluster.
type reader struct {
	cluster  *outrank.Cluster
	problems []outrank.Problem // at most mostProblems of them
	more     int               // the number of others
	decoder  manifest.Decoder
	wire     manifest.Pod // the last pod, whose memory the next one uses
	storage  storage
	finished bool // keep pods that have ended, too
	fills    bool // fill in what the API server would
	warnings []outrank.Problem
	skipped  func(kind string, text []byte) // told of objects that are skipped; nil for nobody
}

func newReader() *reader {
	return &reader{cluster: &outrank.Cluster{}, storage: newStorage()}
}

func (rd *reader) problem(object, field, format string, args ...any) {
	if len(rd.problems) >= apis.MostProblems {
		rd.more++
		return
	}
	rd.problems = append(rd.problems, outrank.Problem{Object: object, Field: field, Text: fmt.Sprintf(format, args...)})
}

// keep adds problems as long as there are not too many.
func (rd *reader) keep(ps ...outrank.Problem) {
	room := min(len(ps), apis.MostProblems-len(rd.problems))
	rd.problems = append(rd.problems, ps[:room]...)
	rd.more += len(ps) - room
}

// skip counts an object that nothing is read from but when it was created. Nobody refuses the
// rest of it either, so a time that is none counts for nothing.
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

// objectKind is what messages call objects of a kind, and whether these are in a namespace.
type objectKind struct {
	name       string
	namespaced bool
}

// decode fills in the wire form and returns a converter that names the object
// in problems.
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
