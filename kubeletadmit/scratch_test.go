package kubeletadmit

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/resource"
)

// Memory that later calls reuse must not keep anything of a caller alive: no
// text and no pod, not even behind the end of a slice.
func TestScratchKeepsNothing(t *testing.T) {
	node := &outrank.Node{Name: "n", Allocatable: resource.MustList("cpu", "1", "example.com/gpu", "1", "pods", "2")}
	requests := resource.MustList("cpu", "500m", "memory", "1", "example.com/gpu", "1")
	pod := func(name string, static bool) *outrank.Pod {
		return &outrank.Pod{Name: name, Static: static, Containers: []outrank.Container{{Requests: requests}}}
	}
	active := []*outrank.Pod{pod("a", false), pod("b", false)}
	s := &scratch{}
	s.tally.pod, s.tally.choosing = pod("critical", true), true
	if err := s.check(node, active); err != nil {
		t.Fatal(err)
	}
	adm, err := s.makeRoom(context.Background(), Admission{Failures: append([]CheckFailure(nil), s.failures...)}, active)
	if err != nil || adm.Outcome != Rejected {
		t.Fatalf("outcome %s, error %v, want %s for lack of memory", adm.Outcome, err, Rejected)
	}
	if kept(reflect.ValueOf(s).Elem(), "scratch") == "" {
		t.Fatal("the test finds nothing in a scratch in use")
	}
	s.release()
	if where := kept(reflect.ValueOf(s).Elem(), "scratch"); where != "" {
		t.Errorf("%s still holds something of the caller's", where)
	}
}

// kept returns the path of a text or of a pointer to a pod.
func kept(v reflect.Value, path string) string {
	switch v.Kind() {
	case reflect.String:
		if v.Len() > 0 {
			return path
		}
	case reflect.Pointer:
		if v.Type() == reflect.TypeFor[*outrank.Pod]() && !v.IsNil() {
			return path
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if where := kept(v.Field(i), path+"."+v.Type().Field(i).Name); where != "" {
				return where
			}
		}
	case reflect.Array:
		return keptIn(v, path)
	case reflect.Slice:
		return keptIn(v.Slice(0, v.Cap()), path)
	}
	return ""
}

func keptIn(v reflect.Value, path string) string {
	for i := range v.Len() {
		if where := kept(v.Index(i), fmt.Sprintf("%s[%d]", path, i)); where != "" {
			return where
		}
	}
	return ""
}
