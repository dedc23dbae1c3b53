// Package v136 compares outrank with kube-scheduler v1.36: the same harness as for the
// newest version (package differential of the module above), compiled with v1.36.3 by the
// replacements in go.mod. Objects go to outrank as JSON here, the way a dump does.
//
// With the build tag kube136 the plugin is compiled with v1.36.3, too, and so is the scheduler
// with it: files with the tag !kube136 have what the API and the framework of v1.36 lack.
package v136
