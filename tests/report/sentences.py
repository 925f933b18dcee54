"""Usage: sentences.py REPORT.JSON...: the sentence of each product agrees with its numbers in sign and number; prints
what does not, exit code 1 then."""
import json
import re
import sys


def check_noise(text, headline):
    """What was measured and is noisy is named as that."""
    assert headline["plan"]["matrices"] + headline["noisy_csr"] + headline["noisy_orders"] <= headline["matrices"]
    assert (f"on {headline['noisy_csr']} the original order was noisy" in text) == (headline["noisy_csr"] > 0)
    assert (f"on {headline['noisy_orders']} the other orders" in text) == (headline["noisy_orders"] > 0)
    assert ("noisy" in text) == (headline["noisy_csr"] + headline["noisy_orders"] > 0)


def check_orders(text, headline):
    gain = headline["plan"]
    value, low, high = (gain["geomean_held_out" + x] for x in ("", "_low", "_high"))
    if not gain["matrices"]:
        assert re.match("No other row order|The other row orders|Nothing can be said of reordering", text)
        assert text.startswith("Nothing") or not headline["noisy_orders"] + headline["noisy_csr"], "orders were measured"
        check_noise(text, headline)
        return
    assert low <= value <= high
    some = f", on the {gain['matrices']} of {headline['matrices']} matrices with times of the original order and another"
    assert (some in text) == (gain["matrices"] < headline["matrices"]) == ("and another" in text), some
    check_noise(text, headline)
    assert ("a little" in text) <= (1.01 < low and high < 1.15), (low, value, high)
    assert text.startswith("Reorder") == (low > 1 and (low > 1.01 or value > 1.01)), (low, value, high)
    assert ("loses" in text) == (high < 1), (low, value, high)
    assert ("uncertain" not in text) or low <= 1 <= high or low <= 1.01 < value or high >= 1.15, (low, value, high)
    assert ("hardly" in text) <= (1 < low and value <= 1.01), (low, value, high)
    assert ("no difference" in text) <= (0.99 < low <= 1 <= high < 1.01), (low, value, high)


def check_vendor(text, setting):
    gain = setting["headline"]["vendor"]
    if setting["vendor_alone"] or not gain["matrices"]:
        assert gain["matrices"] == 0 and (f"{setting['library']} alone has times" in text or
                                         f"no {'sparse ' * (setting['with_dense'] > 0)}library was measured" in text)
        return
    low, high = gain["geomean_held_out_low"], gain["geomean_held_out_high"]
    words = "faster than" if low > 1 else "slower than" if high < 1 else "about as fast as"
    many = "in geomean " if gain["matrices"] > 1 else ""
    wide = ", though the interval is wide" if low <= 1 <= high and (low < 0.9 or high > 1.1) else ""
    all_of = setting["headline"]["matrices"]
    some = f", on the {gain['matrices']} of {all_of} matrices with both" if gain["matrices"] < all_of else ""
    assert text.endswith(f"; the best plan is {many}{words} the best of {setting['library']}{wide}{some}."), (words, low, high)


def check_kernels(text, setting):
    answer, layout = setting["answer"], f"{setting['layout']} " if setting["layout"] else ""
    names = [k["name"].partition(":")[0] for k in answer["kernels"]]
    assert (f"is the only {layout}kernel that was measured" in text) == (len(names) > 0 and answer["measured_kernels"] == 1)
    assert answer["measured_kernels"] >= len(names) == len(set(names))
    if len(names) > 1:
        # which of two is the best is only said where it is sure
        best = names[0] if answer["lead_low"] is not None and answer["lead_low"] > 1 else f"{names[0]} or {names[1]}"
        of = " of those that ran on nearly all matrices" if len(names) < answer["measured_kernels"] else ""
        assert f" {best} is the best single kernel{of};" in text, best
    elif names and answer["measured_kernels"] > 1:
        assert f"of {answer['measured_kernels']} {layout}kernels {names[0]} alone ran on nearly all matrices" in text
    elif names:
        orders = answer["measured_orders"]
        beside = f" beside {setting['library']}" if setting["headline"]["vendor"]["matrices"] else ""
        assert f"{names[0]} is the only {layout}kernel that was measured{beside}{f', in {orders} row orders' if orders > 1 else ''};" in text


def check_gains(headline):
    """A gain within the error is none."""
    for gain in (headline[name] for name in ("order", "plan", "vendor")):
        assert 0 <= gain["over_5_percent_held_out"] <= gain["clear"] <= gain["matrices"] - gain["clear_loss"] <= gain["matrices"] and 0 <= gain["two_cards"] <= gain["matrices"]
    assert headline["pays"] <= headline["reordered"] <= headline["plan"]["clear"]
    assert (headline["break_even_median"] is None) == (headline["pays"] == 0)


def check(data):
    """Raises AssertionError with the sentence."""
    for setting in data["settings"]:
        text, answer = setting["answer"]["sentence"], setting["answer"]
        try:
            check_orders(text, setting["headline"])
            check_vendor(text, setting)
            check_kernels(text, setting)
            check_gains(setting["headline"])
            assert not re.search(r"\d\.\d|-\d|\b1 (kinds|matrices|kernels)|average", text) and text.endswith(".") and len(text.split()) < 80
            assert all(k["value"] > 0 and (k["low"] is None or k["low"] <= k["value"] <= k["high"]) for k in answer["kernels"] + answer["kinds"])
            losses = [k["value"] for k in answer["kernels"]]
            assert losses == sorted(losses)
            library = {setting["vendor_plan"][i] for i, t in enumerate(setting["vendor_ns"]) if t is not None}
            assert not library & set(p for p in setting["best_plan"] if p is not None), "a plan is the library's"
        except AssertionError as e:
            raise AssertionError(f"{setting['label']}: {text} {setting['headline']} {e}") from e


if __name__ == "__main__":
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as f:
            check(json.load(f))
