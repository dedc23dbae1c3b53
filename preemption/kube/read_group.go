package kube

import (
	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/manifest"
)

// group reads a group of pods. ours is false if the object's kind has the same name but is of another API group.
func (rd *reader) group(it manifest.Item) (g *outrank.PodGroup, ours bool) {
	var w manifest.PodGroup
	cv := rd.decode(it, objectKind{"podgroup", true}, &w, &w.Metadata)
	if !inGroup(w.APIVersion) {
		return nil, false
	}
	g = cv.group(&w)
	rd.keep(cv.problems...)
	rd.groupUnread(&cv, &w)
	return g, true
}

// composite reads a composite group. ours is as in group.
func (rd *reader) composite(it manifest.Item) (g *outrank.CompositePodGroup, ours bool) {
	var w manifest.PodGroup
	cv := rd.decode(it, objectKind{"compositepodgroup", true}, &w, &w.Metadata)
	if !inGroup(w.APIVersion) {
		return nil, false
	}
	g = cv.composite(&w)
	rd.keep(cv.problems...)
	return g, true
}

// workload reads a workload. ours is as in group, and also false for an API version that is not supported.
func (rd *reader) workload(it manifest.Item) (one *outrank.Workload, ours bool) {
	var w manifest.Workload
	cv := rd.decode(it, objectKind{"workload", true}, &w, &w.Metadata)
	if !inGroup(w.APIVersion) || w.APIVersion == oldWorkload {
		return nil, false
	}
	one = cv.workload(&w)
	rd.keep(cv.problems...)
	return one, true
}
