package kube_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/testdiff"
	"github.com/outrank-go/outrank/preemption/kube"
)

// An empty part of a dump adds neither an object of an unknown kind nor a problem.
func TestDumpWithoutItems(t *testing.T) {
	for _, text := range []string{
		`{"apiVersion":"v1","kind":"PodList","metadata":{},"items":null}`,
		`{"apiVersion":"v1","items":null,"kind":"NodeList"}`,
		`{"items":null}`,
	} {
		if diff := testdiff.Diff(&outrank.Cluster{}, readList(t, text), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("ReadCluster(%s) (-want +got):\n%s", text, diff)
		}
		_, err := kube.ReadPod(strings.NewReader(text))
		assert.ErrorContains(t, err, "holds 0 pods where one is wanted", text)
	}
}

// Common contents of a file that is no dump are told from mere noise.
func TestReadWhatIsNoDump(t *testing.T) {
	for text, want := range map[string]string{
		`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"pods is forbidden","reason":"Forbidden","code":403}`: `document 1: this is an error of the API server, "pods is forbidden"`,
		"error: the server doesn't have a resource type \"podz\"\n{}":                                                                        `input: not JSON: at byte 0 stands a message of kubectl, "error: the server doesn't have a resource type \"podz\""`,
		`{"kind":"Pod","metadata":{"generateName":"job-"}}`:                                                                                  `only the API server makes one of generateName "job-": give the object a name here`,
	} {
		_, err := kube.ReadCluster(strings.NewReader(text))
		require.ErrorIs(t, err, outrank.ErrInvalid)
		assert.ErrorContains(t, err, want)
	}
	c := readList(t, `{"kind":"Status","status":"Success"}`)
	assert.Equal(t, map[string]int{"Status": 1}, c.Skipped, "a status that is no error")
}

// Input of two bytes a character is named as such.
func TestReadUTF16(t *testing.T) {
	var order binary.AppendByteOrder = binary.LittleEndian
	for range 2 {
		for _, mark := range []string{"\uFEFF", ""} {
			var b []byte
			for _, u := range utf16.Encode([]rune(mark + `{"kind":"List","items":[]}`)) {
				b = order.AppendUint16(b, u)
			}
			_, err := kube.ReadCluster(bytes.NewReader(b))
			assert.ErrorContains(t, err, "the input is UTF-16")
			assert.ErrorContains(t, err, "save it as UTF-8")
		}
		order = binary.BigEndian
	}
}

// A list whose keys are sorted names its kind after its items.
func TestReadListsWithSortedKeys(t *testing.T) {
	c := readList(t, `{"apiVersion":"v1","items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}],"kind":"NodeList","metadata":{}}
		{"apiVersion":"v1","items":[{"metadata":{"name":"p"}}],"kind":"PodList"}`)
	require.Len(t, c.Nodes, 2)
	require.Len(t, c.Pods, 1)
	assert.Equal(t, "b", c.Nodes[1].Name)
	_, err := kube.ReadCluster(strings.NewReader(`{"items":[{"metadata":{"name":"a"}}],"kind":"List"}`))
	assert.ErrorContains(t, err, "items[0]: kind: missing", "a List says nothing of its elements")
	_, err = kube.ReadCluster(strings.NewReader(`{"items":[{"metadata":{"name":"a"}},{"metadata":{}}],"kind":"PodList"}`))
	assert.ErrorContains(t, err, "pod (items[1]): metadata.name: missing")
}
