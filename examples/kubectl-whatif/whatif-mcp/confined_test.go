package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// leaf is a text in the arguments of a tool, by the keys that lead to it; 0 is the first of a list.
type leaf []string

// leavesOf lists the texts that a schema lets an agent give.
func leavesOf(schema map[string]any, at leaf) (out []leaf) {
	kinds := fmt.Sprint(schema["type"], schema["types"])
	switch {
	case strings.Contains(kinds, "object"):
		properties, _ := schema["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			out = append(out, leavesOf(properties[name].(map[string]any), append(slices.Clone(at), name))...)
		}
		if values, ok := schema["additionalProperties"].(map[string]any); ok {
			out = append(out, leavesOf(values, append(slices.Clone(at), "key"))...)
		}
	case strings.Contains(kinds, "array"):
		out = leavesOf(schema["items"].(map[string]any), append(slices.Clone(at), "0"))
	case strings.Contains(kinds, "string"):
		out = []leaf{at}
	}
	return out
}

// put sets a value in arguments that may have others.
func put(in object, at leaf, value string) {
	for i, name := range at[:len(at)-1] {
		next := at[i+1]
		if next != "0" {
			inner, ok := in[name].(object)
			if !ok {
				inner = object{}
				in[name] = inner
			}
			in = inner
			continue
		}
		if i+2 == len(at) {
			in[name] = []any{value}
			return
		}
		inner := object{}
		in[name] = []any{inner}
		in, at = inner, at[i+2:]
		put(in, at, value)
		return
	}
	in[at[len(at)-1]] = value
}

// Whatever text an agent puts where, no file of the machine is opened for it: neither by its path,
// nor by a way up, nor by the forms in which flags of the program name files. Every argument of
// every tool is one of those that are tried, as the tools describe them: in each form in the first
// tool that has it, and in one of the forms in the others.
func TestNoArgumentOpensAFile(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret.yaml")
	require.NoError(t, os.WriteFile(secret, []byte(`apiVersion: v1
kind: Node
metadata: {name: private-name, labels: {private-label: private-value}}
spec: {taints: [{key: private-key, value: private-value, effect: NoSchedule}]}
status: {allocatable: {cpu: "4", pods: "9"}}
`), 0o600))
	pods := filepath.Join(filepath.Dir(secret), "pods")
	require.NoError(t, os.WriteFile(pods, []byte("private-namespace/private-name\n"), 0o600))
	up := strings.Repeat("../", 12) + strings.TrimPrefix(secret, "/")

	c := connected(t, usual())
	list, err := c.ListTools(t.Context(), nil)
	require.NoError(t, err)
	base := map[string]object{"diff": {"before": "{}"}}
	for _, q := range cases {
		if base[q.tool] == nil {
			base[q.tool] = q.arguments
		}
	}
	forms := []string{secret, up, "@" + pods, secret + "=2", "file://" + secret, "--filename=" + secret}
	tried, known := 0, map[string]bool{}
	for _, tool := range list.Tools {
		leaves := leavesOf(tool.InputSchema.(map[string]any), nil)
		require.NotEmpty(t, leaves, tool.Name)
		for _, at := range leaves {
			values := forms
			if path := fmt.Sprint(at); known[path] {
				values = forms[tried%len(forms):][:1]
			} else {
				known[path] = true
			}
			for _, value := range values {
				arguments := object{}
				maps.Copy(arguments, base[tool.Name])
				put(arguments, at, value)
				text, _ := called(t, c, tool.Name, arguments)
				text = strings.ReplaceAll(strings.ReplaceAll(text, secret, ""), up, "") // what was asked is said again
				assert.NotContains(t, text, "private-", "%s of %s: %s", at, tool.Name, value)
				tried++
			}
		}
	}
	require.Greater(t, tried, 300)
}

// What is there and what is not look alike.
func TestFilesThatAreThereLookLikeOthers(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("text"), 0o600))
	c := connected(t, usual())
	ask := func(name string) string {
		text, failed := called(t, c, "change", object{"changes": []object{{"addNode": name}}})
		require.True(t, failed)
		return strings.ReplaceAll(text, name, "NAME")
	}
	assert.Equal(t, ask(secret+"x"), ask(secret))
	assert.Equal(t, ask("/etc/nothing"), ask("/etc/hostname"))
}
