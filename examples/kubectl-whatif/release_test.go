package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The flag wins over the nodes, and the nodes over the default. The answer names
// its rules and their source.
func TestRelease(t *testing.T) {
	dump := func(version string) string {
		info := ""
		if version != "" {
			info = `"nodeInfo": {"kubeletVersion": "` + version + `"},`
		}
		text := `{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"},
			"spec": {"unschedulable": true}, "status": {` + info + `"allocatable": {"cpu": "1", "pods": "10"}}}]}`
		file := filepath.Join(t.TempDir(), "dump.json")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	for _, test := range []struct {
		version        string
		args           []string
		want           string
		from           ReleaseSource
		caveat, refuse string
	}{
		{version: "", want: "v1.37", from: ReleaseDefault},
		{version: "v1.37.1", want: "v1.37", from: ReleaseNodes},
		{version: "v1.36.3", want: "v1.36", from: ReleaseNodes},
		{version: "v1.37.1", args: []string{"-release", "v1.36"}, want: "v1.36", from: ReleaseFlag},
		{version: "v1.36.1", args: []string{"-release", "1.37,VolumeLimitScaling=false"}, want: "v1.37,VolumeLimitScaling=false", from: ReleaseFlag},
		{version: "v1.30.0", want: "v1.36", from: ReleaseNearest, caveat: `release "v1.30.0"`},
		{version: "v1.39.0-alpha.1", want: "v1.37", from: ReleaseNearest, caveat: `release "v1.39.0-alpha.1"`},
		{version: "v1.37.1", args: []string{"-release", "v1.35"}, refuse: "the rules of v1.36 and v1.37 are known"},
		{version: "v1.37.1", args: []string{"-release", "v1.37,GangScheduling=true"}, refuse: "v1.37 has no such gate"},
	} {
		file := dump(test.version)
		args := append([]string{"-cluster", file, "-cpu", "1", "-priority", "5"}, test.args...)
		var out, errs strings.Builder
		status := run(append(args, "-o", "json"), strings.NewReader(""), &out, &errs)
		if test.refuse != "" {
			assert.Equal(t, 2, status)
			assert.Contains(t, errs.String(), test.refuse)
			continue
		}
		require.Zero(t, status, errs.String())
		var doc struct {
			Cluster Dump
			Caveats []Warning
		}
		require.NoError(t, json.Unmarshal([]byte(out.String()), &doc))
		assert.Equal(t, test.want, doc.Cluster.Release.String(), test.version)
		assert.Equal(t, test.from, doc.Cluster.ReleaseFrom, test.version)
		if test.caveat != "" {
			assert.Contains(t, doc.Caveats[0].Text, test.caveat)
		}
		out.Reset()
		require.Zero(t, run(args, strings.NewReader(""), &out, &errs))
		assert.Contains(t, out.String(), "rules      of Kubernetes "+test.want+" ("+test.from.text()+")")
	}
}
