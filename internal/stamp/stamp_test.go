package stamp

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOf(t *testing.T) {
	commit := []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "abc"}}
	replaced := &debug.Module{Path: own, Version: "v0.0.0", Replace: &debug.Module{Path: "../.."}}
	for name, c := range map[string]struct {
		info *debug.BuildInfo
		want Stamp
	}{
		"no record":                    {nil, Stamp{Version: "(devel)"}},
		"an empty one":                 {&debug.BuildInfo{}, Stamp{Version: "(devel)"}},
		"a program of the library":     {&debug.BuildInfo{Main: debug.Module{Path: own, Version: "v0.4.0"}, Settings: commit}, Stamp{"v0.4.0", "abc"}},
		"a program in a module":        {&debug.BuildInfo{Main: debug.Module{Path: own + "/examples/x", Version: "v0.4.0"}, Deps: []*debug.Module{replaced}}, Stamp{Version: "v0.4.0"}},
		"another project's":            {&debug.BuildInfo{Main: debug.Module{Path: "example.com/x", Version: "v9.0.0"}, Deps: []*debug.Module{{Path: own, Version: "v0.4.0"}}, Settings: commit}, Stamp{Version: "v0.4.0"}},
		"another project's, from here": {&debug.BuildInfo{Main: debug.Module{Path: "example.com/x", Version: "v9.0.0"}, Deps: []*debug.Module{replaced}, Settings: commit}, Stamp{Version: "(devel)"}},
		"a name that only begins so":   {&debug.BuildInfo{Main: debug.Module{Path: own + "er", Version: "v9.0.0"}}, Stamp{Version: "(devel)"}},
	} {
		assert.Equal(t, c.want, Of(c.info), name)
	}
}

func TestHere(t *testing.T) {
	assert.Equal(t, "", Here().Known(), "a test has no version")
	t.Cleanup(func() { version, revision = "", "" })
	version, revision = "v0.9.0", "abc"
	assert.Equal(t, Stamp{"v0.9.0", "abc"}, Here())
	assert.Equal(t, "v0.9.0", Here().Known())
	assert.Contains(t, Here().Line("x"), "x v0.9.0 of abc, rules of Kubernetes v1.37 (the default) and v1.36, go")
	assert.Contains(t, Stamp{Version: unknown}.Line("x"), "x (devel), rules of")
}
