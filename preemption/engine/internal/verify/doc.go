// Package verify answers whether a plan for one pod can be carried out on a cluster as it is now, and
// says what is in the way.
package verify
