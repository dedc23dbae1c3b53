package priority_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank/priority"
)

// What may help against each filter, all of it: a cross stands where the event
// in that column does.
//
//	node added, updated, deleted; assigned pod added, updated, deleted; storage
var helpful = map[string]string{
	"NodeUnschedulable":  "xx.....",
	"NodeName":           "x......",
	"TaintToleration":    "xx.....",
	"NodeAffinity":       "xx.....",
	"NodePorts":          "x....x.",
	"NodeResourcesFit":   "xx..xx.",
	"VolumeRestrictions": "x....xx",
	"NodeVolumeLimits":   "xx...xx",
	"VolumeBinding":      "xx....x",
	"VolumeZone":         "xx....x",
	"PodTopologySpread":  "xxxxxx.",
	"InterPodAffinity":   "xx.xxx.",
}

var columns = []priority.EventKind{
	priority.EventNodeAdded, priority.EventNodeUpdated, priority.EventNodeDeleted,
	priority.EventAssignedPodAdded, priority.EventAssignedPodUpdated, priority.EventAssignedPodDeleted,
	priority.EventStorageChanged,
}

func TestWhatHelpsAgainstEachFilter(t *testing.T) {
	for filter, row := range helpful {
		for i, kind := range columns {
			e := &priority.Entry{FailedFilters: []string{filter}}
			assert.Equal(t, row[i] == 'x', priority.Helps(e, priority.Event{Kind: kind}), "%s against %s", kind, filter)
			// NodeName is helped by little; whatever helps the other helps both.
			e.FailedFilters = []string{"NodeName", filter}
			want := row[i] == 'x' || kind == priority.EventNodeAdded
			assert.Equal(t, want, priority.Helps(e, priority.Event{Kind: kind}), "%s against NodeName and %s", kind, filter)
		}
		e := &priority.Entry{FailedFilters: []string{filter}}
		assert.True(t, priority.Helps(e, priority.Event{}), "any other event against %s", filter)
		e.FailedFilters = append(e.FailedFilters, "Unknown")
		for _, kind := range columns {
			assert.True(t, priority.Helps(e, priority.Event{Kind: kind}), "%s against %s and a filter that is not known", kind, filter)
		}
	}
}
