// Package v1alpha3 is empty: see go.mod.
package v1alpha3
