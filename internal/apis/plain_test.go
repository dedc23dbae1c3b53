package apis_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank"
)

// A program that does not import preemption/kube, as this test does not, loses nothing
// silently: writing and reading a plain type is an error, wherever it stands.
func TestPlainTypesRefuse(t *testing.T) {
	for _, object := range []any{
		&outrank.Cluster{}, &outrank.Pod{}, &outrank.Node{}, &outrank.PodDisruptionBudget{}, &outrank.PriorityClass{},
		&outrank.Namespace{}, &outrank.PodGroup{}, &outrank.CompositePodGroup{}, &outrank.Workload{}, &outrank.VolumeClaim{},
		&outrank.Affinity{}, &outrank.Container{}, &outrank.LabelSelector{},
	} {
		value := reflect.ValueOf(object).Elem()
		if _, selector := object.(*outrank.LabelSelector); !selector { // its fields are its JSON
			for _, holder := range []any{object, value.Interface(), []any{value.Interface()}, struct{ Object any }{object}} {
				_, err := json.Marshal(holder)
				assert.ErrorIs(t, err, errors.ErrUnsupported, "%T", object)
				assert.ErrorContains(t, err, value.Type().String()+" is in github.com/outrank-go/outrank/preemption/kube")
			}
		}
		err := json.Unmarshal([]byte(`{"metadata": {"name": "a"}}`), object)
		assert.ErrorIs(t, err, errors.ErrUnsupported, "%T", object)
		assert.True(t, value.IsZero())
	}
}
