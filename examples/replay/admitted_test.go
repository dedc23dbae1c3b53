package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank"
)

func TestAdmitted(t *testing.T) {
	const head, tail = `{"id":"1","preemptor":{"metadata":{"name":"p"},"spec":{"priority":7,"tolerations":[`, `]}}}`
	for _, c := range []struct{ tolerations, want string }{
		{`{"key":"a","operator":"Near"}`, "null"},
		{`{"key":"a","operator":"Near"},{"key":"b","operator":"Exists"}`, `[{"key":"b","operator":"Exists"}]`},
	} {
		line, err := admitted([]byte(head + c.tolerations + tail))
		require.NoError(t, err)
		var got struct {
			ID        string
			Preemptor *outrank.Pod
		}
		require.NoError(t, json.Unmarshal(line, &got))
		var want []outrank.Toleration
		require.NoError(t, json.Unmarshal([]byte(c.want), &want))
		require.Equal(t, "1", got.ID)
		require.EqualValues(t, 7, *got.Preemptor.Priority)
		require.Equal(t, want, got.Preemptor.Tolerations)
	}
	const pod = `{"spec":{"resources":{"limits":{"hugepages-2Mi":"2Mi"},"requests":{"cpu":"1"}}}}`
	const odd = `{"spec":{"resources":{"limits":{"hugepages-2Mi":"2Mi","pods":"1"},"requests":{"cpu":"1","example.com/gpu":"2","ephemeral-storage":"1"}}}}`
	line, err := admitted([]byte(`{"pods":[{},` + odd + `],"preemptor":` + odd + `}`))
	require.NoError(t, err)
	require.Equal(t, `{"pods":[{},`+pod+`],"preemptor":`+pod+`}`, string(line))
	line, err = admitted([]byte(`{"pods":[{"spec":{"resources":{"requests":{"example.com/gpu":"2"}}}}]}`))
	require.NoError(t, err)
	require.Equal(t, `{"pods":[{"spec":{"resources":{"requests":{}}}}]}`, string(line), "that there are resources counts in v1.36 (rule 3.4)")
	for _, as := range []string{head + `{"key":"a","operator":"Lt"},{"key":"b"}` + tail, `{"preemptor":{"spec":{}},"pods":[{"spec":{"tolerations":[]}}]}`, `{"tolerations":1}`, `{}`} {
		line, err := admitted([]byte(as))
		require.NoError(t, err)
		require.Equal(t, as, string(line))
	}
	for _, no := range []string{`"tolerations"`, `{"preemptor":{"spec":{"tolerations":1}}}`, `{"preemptor":{"spec":[],"tolerations":1}}`} {
		_, err := admitted([]byte(no))
		require.Error(t, err)
	}
}
