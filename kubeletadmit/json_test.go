package kubeletadmit_test

import (
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/scenario"
	"github.com/outrank-go/outrank/kubeletadmit"
)

// The answers that there are, each as JSON and as text. What stands in the files
// is read by others: a change that is no addition needs another version.
func TestGoldenAdmissions(t *testing.T) {
	east := time.FixedZone("east", 3*3600)
	node := newNode("cpu", "4", "memory", "4Gi", string(gpu), "1")
	active := []*outrank.Pod{
		newPod("batch", req("cpu", "1500m", "memory", "1Gi"), withPriority(10), func(p *outrank.Pod) {
			p.UID, p.NodeName, p.PriorityClassName = "uid-batch", "n1", "low"
			p.StartTime = time.Date(2026, 1, 10, 12, 0, 0, 1, east)
		}),
		newPod("web", req("cpu", "2", "memory", "2Gi"), withPriority(100)),
		newPod("idle", nil, withPriority(0)),
	}
	disk := newCritical(nil)
	disk.NodeSelector = map[string]string{"disk": "ssd"}
	for name, pod := range map[string]*outrank.Pod{
		"admitted":   newPod("small", req("cpu", "500m")),
		"rejected":   newPod("large", req("cpu", "1", string(gpu), "2")),
		"predicate":  disk,
		"evicting":   newCritical(req("cpu", "3", "memory", "3Gi")),
		"not_enough": newCritical(req("cpu", "5", "memory", "8Gi")),
	} {
		t.Run(name, func(t *testing.T) {
			golden(t, name, must(kubeletadmit.Admit(node, active, pod, kubeletadmit.Config{})))
		})
	}
	active = append(active, newPod("tool", req("cpu", "500m", "memory", "1Gi"), withPriority(10)))
	both := kubeletadmit.Config{PriorityFirst: true, Exact: true}
	t.Run("exact", func(t *testing.T) {
		golden(t, "exact", must(kubeletadmit.Admit(node, active, newCritical(req("cpu", "2", "memory", "1Gi")), both)))
	})
	t.Run("zero", func(t *testing.T) { golden(t, "zero", kubeletadmit.Admission{}) })
}

func golden(t *testing.T, name string, a kubeletadmit.Admission) {
	t.Helper()
	text, err := json.MarshalIndent(a, "", "  ")
	require.NoError(t, err)
	scenario.Golden(t, filepath.Join("testdata", "json", name+".json"), string(text)+"\n")
	scenario.Golden(t, filepath.Join("testdata", "json", name+".txt"), a.String()+"\n")
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Every admission has JSON that is valid, twice the same, and names those who
// go; and a text that names them, too.
func TestEveryAdmissionHasJSONAndText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		node, active, pod := someNode(t), somePods(t, somePod, 12), somePreemptor(t)
		adm, err := kubeletadmit.Admit(node, active, pod, kubeletadmit.Config{})
		require.NoError(t, err)
		text, err := json.Marshal(adm)
		require.NoError(t, err)
		again, err := json.Marshal(must(kubeletadmit.Admit(node, active, pod, kubeletadmit.Config{})))
		require.NoError(t, err)
		require.Equal(t, string(text), string(again))
		var read struct {
			APIVersion, Kind, Reason, Message string
			Outcome                           kubeletadmit.Outcome
			Failures, Returned                []json.RawMessage
			Evictions                         []struct {
				Pod struct{ Name string }
			}
		}
		require.NoError(t, json.Unmarshal(text, &read))
		require.Equal(t, []any{"outrank/v1", "Admission", adm.Outcome, adm.Reason, adm.Message},
			[]any{read.APIVersion, read.Kind, read.Outcome, read.Reason, read.Message})
		require.Len(t, read.Failures, len(adm.Failures))
		require.Len(t, read.Returned, len(adm.Returned))
		require.Len(t, read.Evictions, len(adm.Evictions))
		for i, e := range adm.Evictions {
			require.Equal(t, e.Pod.Name, read.Evictions[i].Pod.Name)
			require.Contains(t, adm.String(), e.Pod.Key())
		}
	})
}

// An answer is written and never read: an empty admission in silence would be
// one without evictions.
func TestAdmissionsCannotBeReadBack(t *testing.T) {
	var adm kubeletadmit.Admission
	text, err := json.Marshal(adm)
	require.NoError(t, err)
	err = json.Unmarshal(text, &adm)
	assert.ErrorIs(t, err, errors.ErrUnsupported)
	assert.ErrorContains(t, err, "kubeletadmit.Admission cannot be read")
	assert.NoError(t, json.Unmarshal([]byte("null"), &adm))
}

// A pod that is evicted may have started in any year.
func TestAdmissionsOfAnyYear(t *testing.T) {
	late := &outrank.Pod{Name: "late", StartTime: time.Date(9999, 12, 31, 23, 59, 59, 0, time.FixedZone("west", -10*3600))}
	text, err := kubeletadmit.Admission{Outcome: kubeletadmit.AdmittedAfterEvicting, Evictions: []kubeletadmit.EvictedPod{{Pod: late}}}.MarshalJSON()
	require.NoError(t, err)
	assert.Contains(t, string(text), `"startTime":"10000-01-01T09:59:59Z"`)
}

// What JSON cannot say is an error that names the object and the field.
func TestAdmissionsThatJSONCannotSay(t *testing.T) {
	for _, test := range []struct {
		answer kubeletadmit.Admission
		text   string
	}{
		{kubeletadmit.Admission{Evictions: []kubeletadmit.EvictedPod{{Distance: math.NaN()}}}, "evicted no pod: distance: NaN is not a number of JSON"},
		{kubeletadmit.Admission{Message: "\xff"}, `admission: message: "\xff" is not UTF-8`},
		{kubeletadmit.Admission{Outcome: "Maybe"}, `admission: outcome: "Maybe" is none of`},
	} {
		text, err := test.answer.MarshalJSON()
		assert.ErrorIs(t, err, outrank.ErrInvalid, "%s", text)
		assert.ErrorContains(t, err, test.text)
	}
	assert.Equal(t, "not decided", kubeletadmit.Admission{}.String())
	assert.NotPanics(t, func() {
		_ = kubeletadmit.Admission{Outcome: "x", Evictions: make([]kubeletadmit.EvictedPod, 1)}.String()
	})
}
