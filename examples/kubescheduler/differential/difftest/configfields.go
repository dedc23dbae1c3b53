package difftest

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	v1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubescheduler/differential"
	"github.com/outrank-go/outrank/preemption/scheduler/config"
)

// RunConfigurationFields asks the reference's strict decoder and the library whether a KubeSchedulerConfiguration has
// each field: of the file, of a profile and of its plugins. Fields are those of this version of Kubernetes, and of
// others.
func RunConfigurationFields(t *testing.T, h *differential.Harness) {
	others := []string{"podGroupPostFilter", "percentageOfPlacementsToScore", "placementGenerate", "placementScore", "preDequeue"}
	for _, place := range []struct {
		path string
		of   reflect.Type
		file func(object map[string]any) any
	}{
		{"", reflect.TypeFor[v1.KubeSchedulerConfiguration](), func(o map[string]any) any { return o }},
		{"profiles[0].", reflect.TypeFor[v1.KubeSchedulerProfile](), func(o map[string]any) any { return map[string]any{"profiles": []any{o}} }},
		{"profiles[0].plugins.", reflect.TypeFor[v1.Plugins](), func(o map[string]any) any {
			return map[string]any{"profiles": []any{map[string]any{"plugins": o}}}
		}},
	} {
		for _, name := range append(jsonFields(place.of), others...) {
			t.Run(place.path+name, func(t *testing.T) {
				// Null is a value of every field, so that nothing but the name can be wrong.
				text, err := json.Marshal(place.file(map[string]any{name: nil}))
				require.NoError(t, err)
				head := `{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", `
				text = append([]byte(head), text[1:]...)

				_, _, refused := scheme.Codecs.UniversalDecoder().Decode(text, nil, nil)
				require.True(t, refused == nil || strings.Contains(refused.Error(), "unknown field"), "%v", refused)
				_, err = config.Read(h.Release, strings.NewReader(string(text)))
				require.Equal(t, refused != nil, tellsUnknown(err, place.path+name), "%s\nkube-scheduler: %v\nhere: %v", text, refused, err)
			})
		}
	}
}

// jsonFields lists the names of the fields of a struct in JSON, without those that every file has.
func jsonFields(of reflect.Type) (names []string) {
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// tellsUnknown reports whether an error says that the file has no such field.
func tellsUnknown(err error, path string) bool {
	var invalid *outrank.InputError
	if !errors.As(err, &invalid) {
		return false
	}
	for _, p := range invalid.Problems {
		if p.Field == path && p.Text == "unknown field" {
			return true
		}
	}
	return false
}
