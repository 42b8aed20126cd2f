var r=(e,n="")=>`/v1/definitions/${encodeURIComponent(e)}${n}`;export{r as a};
